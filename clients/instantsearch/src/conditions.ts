// Converts single conditions, and lists of which any must hold, to clauses, each
// with the field that it narrows.

import type { Clause, Matcher } from "@quiresearch/client";
import { attributeOf, isNumeric, literal, type Fields } from "./fields.js";

/** A condition. The field is empty if it narrows several fields or excludes values; no facet ignores such a condition. */
export interface Condition {
  field: string;
  clause: Clause;
}

/** Combines conditions of which any must hold; values of one field become one filter. */
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

/** Parses `brand:Lumi`, or `brand:-Lumi` to exclude; a leading minus sign in a value is written `\-`. */
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

/** Parses `price>=10`, `price=10`, `price!=10` or `price:10 TO 20`. */
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

/** Converts a bound; for a timestamp field InstantSearch gives seconds since 1970. */
function bound(fields: Fields, field: string, text: string): unknown {
  return fields.get(field)?.type === "timestamp" ? new Date(Number(text) * 1000).toISOString() : Number(text);
}

/** Wraps a condition on a field of a nested list in a clause on that list. */
function within(field: string, clause: Clause, fields: Fields): Condition {
  for (let path = field; path.includes("."); ) {
    path = path.slice(0, path.lastIndexOf("."));
    if (fields.get(path)?.mode === "nested") return { field, clause: { type: "nested", path, clauses: [clause] } };
  }
  return { field, clause };
}
