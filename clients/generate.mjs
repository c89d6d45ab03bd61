// Writes the types of the TypeScript client from the output of
// `quire openapi --json`. It leaves out the paths: the client names them itself.

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const root = new URL("..", import.meta.url).pathname;
const description = JSON.parse(execFileSync(root + "bin/quire", ["openapi", "--json"], { maxBuffer: 1 << 26 }));
const types = astToString(await openapiTS({ ...description, paths: {} }, { defaultNonNullable: false }));
writeFileSync(process.argv[2], "// Written by `make generate-clients` from the OpenAPI description.\n\n" + types);
