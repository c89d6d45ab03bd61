// What a program does with an index. The same steps run in Node and in a
// browser, so they use no API that only one of them has.

export async function scenario(Client, base, key) {
  const seen = {};
  const client = new Client(base, { key, readYourWrites: true });
  const books = client.index("books");
  await books.put({
    fields: {
      id: { type: "string", role: "id" }, title: { type: "string", role: "title" },
      author: { type: "string", role: "tag" }, year: { type: "int32", filter: {}, sort: {}, facet: {} },
    },
  });
  await books.putSettings({ fields: { author: { suggest: {} } } });
  await books.add([
    { id: "1", title: "The Left Hand of Darkness", author: "Ursula K. Le Guin", year: 1969 },
    { id: "2", title: "The Dispossessed", author: "Ursula K. Le Guin", year: 1974 },
  ]);
  seen.unknownField = await books.add([{ id: "3", colour: "red" }]).catch((error) => error.code);
  async function* volumes() {
    for (let i = 0; i < 2100; i++) yield i === 1500 ? { title: "no key" } : { id: "v" + i, title: "Volume " + i, author: "Many", year: 2000 };
  }
  seen.results = 0;
  for await (const result of books.addAll(volumes())) {
    seen.results++;
    if (result.refused) seen.refused = [result.position, result.refused.code];
  }
  const answer = await books.search({
    query: [{ type: "text", text: "dispossesed", match: "user" }],
    filters: [{ field: "year", match: { type: "range", gte: 1970 } }],
    facets: [{ field: "author" }],
  });
  seen.hits = answer.hits.map((hit) => hit.document.title);
  seen.facet = answer.facets.author.values;
  seen.paged = 0;
  for await (const _ of books.hits({ query: [{ type: "text", text: "volume" }], limit: 1000 })) seen.paged++;
  seen.listed = 0;
  for await (const _ of books.documents()) seen.listed++;
  seen.explained = (await books.explain({ query: [{ type: "text", text: "dispossessed" }] }, "2")).matched;
  seen.suggested = (await books.suggest({ text: "urs" })).suggestions[0].value;
  seen.values = (await books.facetValues("author", { prefix: "Man" })).values[0].count;
  await books.putDocument("a/b", { id: "a/b", title: "Kindred", author: "Octavia E. Butler", year: 1979 });
  await books.patchDocument("a/b", { year: 1980 });
  seen.document = await books.document("a/b");
  await books.deleteDocument("a/b");
  seen.gone = await books.document("a/b").catch((error) => error.code);
  seen.deleted = await books.deleteDocuments({ query: [{ field: "author", match: { value: "Many" } }] });
  for await (const index of client.indexes()) seen.index = index.name;
  seen.definition = (await books.get()).definition.fields.year;
  await books.delete();
  return seen;
}

export const expected = {
  unknownField: "document:field_unknown",
  results: 2100,
  refused: [1500, "document:field_required"],
  hits: ["The Dispossessed"],
  facet: [{ value: "Ursula K. Le Guin", count: 1 }],
  paged: 2099,
  listed: 2101,
  explained: true,
  suggested: "Ursula K. Le Guin",
  values: 2099,
  document: { id: "a/b", title: "Kindred", author: "Octavia E. Butler", year: 1980 },
  gone: "document:not_found",
  deleted: 2099,
  index: "books",
  definition: { type: "int32", filter: {}, sort: {}, facet: {} },
};
