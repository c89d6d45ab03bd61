import { Client, type ClientOptions, type Definition, type SearchRequest, type SearchResult } from "@quiresearch/client";
import { attributeOf, readFields, type Fields } from "./fields.js";
import { conditionsOf } from "./filters.js";
import { narrowed, plan, type Request, type Search, type Settings } from "./plan.js";
import { resultOf, type Bounds } from "./results.js";

export interface Options extends Omit<ClientOptions, "readYourWrites"> {
  /** Definitions by index name, for keys that may search but not read definitions. */
  definitions?: Record<string, Definition>;
  /** The field with locations; defaults to the first geo_point field that allows filters. */
  geoField?: string;
  /** The locale of typed text and of results. */
  locale?: string;
  /** Members added to every search in addition to what the widgets request, such as filters or signals. */
  request?: SearchRequest;
}

/** The type that InstantSearch.js and React InstantSearch expect as `searchClient`. */
export interface SearchClient {
  search(requests: any): Promise<{ results: any[] }>;
  // A list. Its declared type differs between versions of InstantSearch and of the Algolia client.
  searchForFacetValues(requests: any): Promise<any>;
}

/** Returns a search client for the node at a URL. Use one per InstantSearch instance: a new search cancels the previous one. */
export function createSearchClient(node: string, options: Options = {}): SearchClient {
  const client = new Client(node, options);
  const known = new Map<string, Promise<Fields>>();
  let running = new AbortController();

  const fieldsOf = (index: string): Promise<Fields> => {
    let fields = known.get(index);
    if (!fields) {
      const given = options.definitions?.[index];
      fields = given ? Promise.resolve(readFields(given)) : client.index(index).get().then((d) => readFields(d.definition));
      known.set(index, fields);
      fields.catch(() => known.delete(index)); // the next search reads it again
    }
    return fields;
  };

  const allFields = async (requests: Request[]) => {
    const names = [...new Set(requests.map((r) => r.indexName.split("/sort/")[0]!))];
    const all = new Map(await Promise.all(names.map(async (name) => [name, await fieldsOf(name)] as const)));
    return (index: string) => all.get(index)!;
  };

  const settings: Settings = { geoField: options.geoField, locale: options.locale, request: options.request };

  const searchAll = async (requests: Request[], signal: AbortSignal) => {
    const fields = await allFields(requests);
    const planned = plan(requests, fields, settings);
    const searches = [...new Set(planned.map((p) => p.search))];
    const answers = new Map(await Promise.all(searches.map(async (search) => [search, await run(client, search, signal)] as const)));
    return planned.map((p) => {
      const { answer, bounds } = answers.get(p.search)!;
      const of = fields(p.search.index);
      return resultOf(p, answer, bounds, of, options.geoField ?? of.geo);
    });
  };

  return {
    async search(requests: Request[]) {
      running.abort();
      const mine = (running = new AbortController());
      try {
        return { results: await searchAll(requests, mine.signal) };
      } catch (error) {
        // InstantSearch has sent a newer request and no longer waits for this result.
        if (mine.signal.aborted) return new Promise<never>(() => {});
        throw error;
      }
    },

    async searchForFacetValues(requests: Request[]) {
      const fields = await allFields(requests);
      return Promise.all(requests.map((request) => facetHits(client, request, fields(request.indexName.split("/sort/")[0]!), settings)));
    },
  };
}

/** Sends a search and the searches for its bounds together. */
async function run(client: Client, search: Search, signal: AbortSignal): Promise<{ answer: SearchResult; bounds: Bounds }> {
  const index = client.index(search.index);
  const ends = [...search.bounds].map(async ([name, { field, least, greatest }]) => {
    const [low, high] = await Promise.all([least, greatest].map(async (end) => valueOf(await index.search(end, { signal }), field)));
    return [name, { min: low, max: high }] as const;
  });
  const [answer, ...found] = await Promise.all([index.search(search.body, { signal }), ...ends]);
  const bounds: Bounds = new Map();
  for (const [name, { min, max }] of found) if (min !== undefined && max !== undefined) bounds.set(name, { min, max });
  return { answer: answer as SearchResult, bounds };
}

function valueOf(answer: { hits: { document?: unknown }[] }, field: string): number | undefined {
  const value = field.split(".").reduce((inner: any, name) => inner?.[name], answer.hits[0]?.document);
  return typeof value === "number" ? value : undefined;
}

/** Returns the values of a facet that begin with the text in its search box. */
async function facetHits(client: Client, request: Request, fields: Fields, settings: Settings) {
  const { facetName, facetQuery = "", maxFacetHits, ...params } = request.params as Record<string, any>;
  const { field } = attributeOf(fields, facetName);
  // The service leaves out filters on the facet itself, and InstantSearch has left out those that it wants left out.
  const { query, filters } = narrowed(params, conditionsOf(fields, params, settings.geoField ?? fields.geo), settings);
  const answer = await client.index(request.indexName.split("/sort/")[0]!).facetValues(field, {
    prefix: facetQuery, limit: Math.min(100, maxFacetHits ?? 10), query: [...query, ...filters],
    ...(settings.locale ? { locale: settings.locale } : {}),
  });
  const [pre, post] = [params["highlightPreTag"] ?? "<em>", params["highlightPostTag"] ?? "</em>"];
  return {
    exhaustiveFacetsCount: true,
    processingTimeMS: Math.round(answer.tookMs),
    facetHits: answer.values.map(({ value, count }) => {
      const text = String(value);
      return { value: text, count, highlighted: pre + text.slice(0, facetQuery.length) + post + text.slice(facetQuery.length) };
    }),
  };
}
