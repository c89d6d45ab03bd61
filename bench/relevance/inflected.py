"""Creates inflected.ndjson: queries for words that one document of a language holds in another form.

Which forms a word has is decided independently of Quire: by the form lists of simplemma for languages that inflect
at the end of a word, by kiwipiepy for Korean particles and verb endings, and by UniDic for Japanese verbs and
adjectives. A form from a list is used as a query only if people use it, by the word frequencies of wordfreq. Forms
that occur in the corpus are never used: the right document holds the word only in other forms.

    pip install -r bench/relevance/inflected.txt
    python bench/relevance/inflected.py ../shared/data > bench/relevance/inflected.ndjson
"""
import collections
import io
import json
import os
import random
import sys
import unicodedata

import fugashi
import kiwipiepy
import regex
import wordfreq
import zstandard
from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

QUERIES = 40
LEAST_FREQUENCY = 3e-8
LISTED = ["sv", "de", "fr", "es", "fi", "ru", "tr"]
WORD = regex.compile(r"[\p{L}\p{M}]+")
HANGUL = regex.compile(r"\p{Hangul}+")


def lines(path):
    with open(path, "rb") as packed:
        for line in io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(packed), "utf-8"):
            yield json.loads(line)


def texts(data, tag):
    """Returns the documents of a language, selected as by bench/run: {id: text}."""
    found = {}
    for name in "multilingual_debian", "multilingual_europarl":
        for d in lines(os.path.join(data, name + ".ndjson.zst")):
            if d["lang"] == tag:
                found[d["id"]] = unicodedata.normalize("NFC", d.get("title", "") + "\n" + d["body"])
    return found


def lower(tag, text):
    return (text.replace("I", "ı").replace("İ", "i") if tag == "tr" else text).lower()


class Listed:
    """Words and forms from a list of forms."""

    def __init__(self, tag):
        self.tag, self.lemmas, self.listed = tag, {}, collections.defaultdict(set)
        self.frequencies = wordfreq.get_frequency_dict(tag, "best")
        for form, lemma in DefaultDictionaryFactory().get_dictionary(tag).items():
            form, lemma = (lower(tag, x.decode() if isinstance(x, bytes) else x) for x in (form, lemma))
            self.lemmas.setdefault(form, lemma)
            self.listed[lemma].add(form)

    def words(self, text):
        """Yields (lemma, form) of every listed word."""
        for form in WORD.findall(lower(self.tag, text)):
            if len(form) >= 4 and form in self.lemmas:
                yield self.lemmas[form], form

    def forms(self, lemma, form):
        return [f for f in self.listed[lemma] if len(f) >= 4 and WORD.fullmatch(f)]

    def is_used(self, form):
        return self.frequencies.get(form, 0) >= LEAST_FREQUENCY


class Korean:
    """Nouns with other particles, verbs with other endings."""

    particles = [("은", "JX"), ("이", "JKS"), ("을", "JKO"), ("에서", "JKB"), ("으로", "JKB"), ("의", "JKG"), ("과", "JKB")]
    endings = [("다", "EF"), ("는", "ETM"), ("고", "EC"), ("었다", None), ("면", "EC"), ("기", "ETN")]

    def __init__(self, tag):
        self.kiwi = kiwipiepy.Kiwi(num_workers=1)

    def words(self, text):
        found = self.kiwi.tokenize(text)
        for i, token in enumerate(found):
            start, end = token.start, token.start + token.len
            if start > 0 and HANGUL.match(text[start - 1]) or not HANGUL.fullmatch(token.form):
                continue
            behind = next((j for j in range(i + 1, len(found)) if found[j].start > found[j - 1].start + found[j - 1].len), len(found))
            last = found[behind - 1]
            unit = HANGUL.match(text, start)
            if unit is None or last.start + last.len > unit.end():
                continue
            rest = found[i + 1:behind]
            if token.tag == "NNG" and token.len >= 2 and all(r.tag.startswith("J") for r in rest):
                yield (token.form, "NNG"), unit.group()
            elif token.tag in ("VV", "VA") and rest and all(r.tag.startswith("E") for r in rest):
                yield (token.form, token.tag), unit.group()

    def forms(self, lemma, form):
        word, tag = lemma
        if tag == "NNG":
            return [word] + [self.kiwi.join([lemma, p]) for p in self.particles]
        past = ("었", "EP")
        return [self.kiwi.join([lemma, past, ("다", "EF")] if e[1] is None else [lemma, e]) for e in self.endings]

    def is_used(self, form):
        return True


class Japanese:
    """Verbs and adjectives in their dictionary form."""

    def __init__(self, tag):
        self.tagger = fugashi.Tagger()

    def words(self, text):
        for w in self.tagger(text):
            if w.feature.pos1 in ("動詞", "形容詞") and regex.match(r"\p{Han}", w.surface) and len(w.surface) >= 2:
                yield w.feature.orthBase, w.surface

    def forms(self, lemma, form):
        return [lemma]

    def is_used(self, form):
        return True


def queries(tag, data):
    source = {"ko": Korean, "ja": Japanese}.get(tag, Listed)(tag)
    documents = texts(data, tag)
    holders, held = collections.defaultdict(set), {}
    for key, text in documents.items():
        held[key] = list(source.words(text))
        for lemma, _ in held[key]:
            holders[lemma].add(key)
    everything = lower(tag, "\n".join(documents.values()))
    words = set(HANGUL.findall(everything) if tag == "ko" else WORD.findall(everything))

    def is_held(form):
        return form in everything if tag == "ja" else form in words

    draw = random.Random("inflected-" + tag)
    keys, made, asked = sorted(documents), [], set()
    draw.shuffle(keys)
    for key in keys * 3:  # several words per document where there are few documents
        rare = sorted({(lemma, form) for lemma, form in held[key] if len(holders[lemma]) == 1 and lemma not in asked})
        draw.shuffle(rare)
        for lemma, form in rare:
            forms = sorted(f for f in source.forms(lemma, form) if not is_held(f) and source.is_used(f))
            if forms:
                asked.add(lemma)
                made.append({"lang": tag, "text": draw.choice(forms), "held": form, "target": key})
                break
        if len(made) == QUERIES:
            break
    return made


for tag in LISTED + ["ja", "ko"]:
    for query in queries(tag, sys.argv[1]):
        print(json.dumps(query, ensure_ascii=False))
