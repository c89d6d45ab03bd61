// Compiles the code of a README as a reader with strict TypeScript does.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

const shared = { target: ts.ScriptTarget.ES2022, strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: true };

/** Options of a program that runs in Node. */
export const forNode = {
  ...shared, lib: ["lib.es2022.d.ts"], types: ["node"], module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext,
};

/** Options of a program that a bundler prepares for browsers. */
export const forBrowser = {
  ...shared, lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"], types: [], module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
};

/** Returns the TypeScript and JavaScript blocks of a README. */
export function blocksOf(readme) {
  return [...readFileSync(readme, "utf8").matchAll(/^```[tj]s\n([^]*?)^```$/gm)].map(([, code]) => code);
}

/** Compiles a module in a directory and returns its errors, each with the code it is about. */
export function errorsOf(directory, code, options) {
  const file = join(directory, "example.ts");
  const host = ts.createCompilerHost(options);
  const { fileExists, getSourceFile } = host;
  host.fileExists = (path) => path === file || fileExists(path);
  host.getSourceFile = (path, ...rest) => (path === file ? ts.createSourceFile(path, code, options.target, true) : getSourceFile(path, ...rest));
  host.getCurrentDirectory = () => directory;
  const program = ts.createProgram([file], options, host);
  const example = program.getSourceFile(file);
  const found = [...program.getOptionsDiagnostics(), ...program.getSyntacticDiagnostics(example), ...program.getSemanticDiagnostics(example)];
  return found.map(({ messageText, start, length }) => `${ts.flattenDiagnosticMessageText(messageText, "\n")} ${code.substr(start, length)}`);
}
