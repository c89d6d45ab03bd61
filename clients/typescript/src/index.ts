export { Client, type ClientOptions, type CallOptions } from "./client.js";
export { Index, type Added, type Result } from "./indexes.js";
export { QuireError, type Problem } from "./error.js";
export type * from "./types.js";
