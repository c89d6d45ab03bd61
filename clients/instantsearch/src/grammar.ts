// Parses the parameter `filters`: conditions joined by AND and OR, negated by NOT
// and grouped by parentheses.

import { alternatives, comparison, equals, type Condition } from "./conditions.js";
import type { Fields } from "./fields.js";

export function parseFilters(fields: Fields, text: string): Condition {
  const tokens = text.match(/\(|\)|(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s()"'])+/g) ?? [];
  let at = 0;
  const word = () => (tokens[at] ?? "").toUpperCase();

  const or = (): Condition => {
    const parts = [and()];
    while (word() === "OR") at++, parts.push(and());
    return alternatives(parts);
  };
  const and = (): Condition => {
    const parts = [single()];
    while (word() === "AND") at++, parts.push(single());
    return parts.length === 1 ? parts[0]! : { field: "", clause: { type: "and", clauses: parts.map((p) => p.clause) } };
  };
  const single = (): Condition => {
    if (word() === "NOT") {
      at++;
      return { field: "", clause: { type: "not", clauses: [single().clause] } };
    }
    if (tokens[at] === "(") {
      at++;
      const inner = or();
      if (tokens[at++] !== ")") throw new TypeError(`a parenthesis is not closed in ${text}`);
      return inner;
    }
    return condition();
  };
  const condition = (): Condition => {
    let token = tokens[at++];
    if (!token) throw new TypeError(`a condition is missing in ${text}`);
    while (/^(<=|>=|!=|<|>|=)$/.test(tokens[at] ?? "") || /(<=|>=|!=|<|>|=|:)$/.test(token)) token += tokens[at++] ?? "";
    if (word() === "TO") token += " TO " + tokens[(at += 2) - 1];
    if (/ TO /.test(token) || !/^[^<>=!]+:/.test(token)) return comparison(fields, token);
    const colon = token.indexOf(":");
    return equals(fields, unquoted(token.slice(0, colon)), unquoted(token.slice(colon + 1)));
  };

  const whole = or();
  if (at < tokens.length) throw new TypeError(`cannot read ${tokens.slice(at).join(" ")} in ${text}`);
  return whole;
}

function unquoted(text: string): string {
  return /^(["']).*\1$/s.test(text) ? text.slice(1, -1).replace(/\\(.)/g, "$1") : text;
}
