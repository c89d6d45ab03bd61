// Single conditions, and several of which any holds, as clauses with the field
// that each narrows.

import type { Clause, Matcher } from "@quiresearch/client";
import { attributeOf, isNumeric, literal, type Fields } from "./fields.js";

/** A condition. The field is empty for one that narrows several or excludes: it is never left out of a facet. */
export interface Condition {
  field: string;
  clause: Clause;
}

/** Any of the conditions; values of one field become one filter. */
export function alternatives(conditions: Condition[]): Condition {
  if (conditions.length === 1) return conditions[0]!;
  const field = conditions[0]?.field ?? "";
  const matchers = conditions.map((c) => c.clause.match as Matcher | undefined);
  if (field && conditions.every((c, i) => c.field === field && matchers[i] && "value" in matchers[i]!)) {
    return { field, clause: { field, match: { type: "in", values: matchers.map((m) => m!.value) } } };
  }
  if (field && conditions.every((c, i) => c.field === field && matchers[i]?.type === "range")) {
    return { field, clause: { field, match: { type: "ranges", values: matchers.map(({ type, ...bounds }: any) => bounds) } } };
  }
  return { field: "", clause: { type: "or", clauses: conditions.map((c) => c.clause) } };
}

/** `brand:Lumi`, or `brand:-Lumi` to exclude; a value that begins with a minus sign is written `\-`. */
export function facetFilter(fields: Fields, text: string): Condition {
  const at = text.indexOf(":");
  const attribute = text.slice(0, at);
  const value = text.slice(at + 1);
  if (value.startsWith("-") && !isNumeric(fields.get(attribute))) {
    return { field: "", clause: { type: "not", clauses: [equals(fields, attribute, value.slice(1)).clause] } };
  }
  return equals(fields, attribute, value.replace(/^\\-/, "-"));
}

export function equals(fields: Fields, attribute: string, value: string): Condition {
  const { field, level } = attributeOf(fields, attribute);
  return within(field, { field, match: level === undefined ? { value: literal(fields.get(field), value) } : { type: "under", path: value } }, fields);
}

/** `price>=10`, `price=10`, `price!=10` or `price:10 TO 20`. */
export function comparison(fields: Fields, text: string): Condition {
  const range = /^([^:<>=!]+):\s*(\S+)\s+TO\s+(\S+)$/i.exec(text);
  if (range) return within(range[1]!, { field: range[1]!, match: { type: "range", gte: bound(fields, range[1]!, range[2]!), lte: bound(fields, range[1]!, range[3]!) } }, fields);
  const [, field, operator, number] = /^([^<>=!]+?)\s*(<=|>=|!=|<|>|=)\s*(.+)$/.exec(text) ?? [];
  if (!field) throw new TypeError(`cannot read the filter ${text}`);
  const value = bound(fields, field, number!);
  const bounds = { "<": { lt: value }, "<=": { lte: value }, ">": { gt: value }, ">=": { gte: value } }[operator!];
  if (operator === "!=") return { field: "", clause: { type: "not", clauses: [{ field, match: { value } }] } };
  return within(field, { field, match: bounds ? { type: "range", ...bounds } : { value } }, fields);
}

/** A bound; for a timestamp field, seconds since 1970 as InstantSearch keeps them. */
function bound(fields: Fields, field: string, text: string): unknown {
  return fields.get(field)?.type === "timestamp" ? new Date(Number(text) * 1000).toISOString() : Number(text);
}

/** Puts a condition on a field of a nested list into a clause on that list. */
function within(field: string, clause: Clause, fields: Fields): Condition {
  for (let path = field; path.includes("."); ) {
    path = path.slice(0, path.lastIndexOf("."));
    if (fields.get(path)?.mode === "nested") return { field, clause: { type: "nested", path, clauses: [clause] } };
  }
  return { field, clause };
}
