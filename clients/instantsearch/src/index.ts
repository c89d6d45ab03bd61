export { createSearchClient, type Options, type SearchClient } from "./adapter.js";
