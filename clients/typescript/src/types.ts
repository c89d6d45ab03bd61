// The request and response bodies of the API by name, from the generated
// description. A type that ends in Output is the response form of a body that
// requests also use; it can be sent back.
import type { components } from "./schema.js";

type Schemas = components["schemas"];

export type Clause = Schemas["Clause"];
export type Definition = Schemas["Definition"];
export type DefinitionOutput = Schemas["DefinitionOutput"];
export type DeleteRequest = Schemas["DeleteRequest"];
export type Document = Schemas["Document"];
export type ExplainResult = Schemas["ExplainResult"];
export type FacetRequest = Schemas["FacetRequest"];
export type FacetValuesRequest = Schemas["FacetValuesRequest"];
export type FacetValuesResult = Schemas["FacetValuesResult"];
export type Field = Schemas["Field"];
export type Hit = Schemas["Hit"];
export type IndexDescription = Schemas["Index"];
export type ListedIndex = Schemas["IndexList"]["indexes"][number];
export type Matcher = Schemas["Matcher"];
export type SearchRequest = Schemas["SearchRequest"];
export type SearchResult = Schemas["SearchResult"];
export type SearchSettings = Schemas["SearchSettings"];
export type SearchSettingsOutput = Schemas["SearchSettingsOutput"];
export type SuggestRequest = Schemas["SuggestRequest"];
export type SuggestResult = Schemas["SuggestResult"];
