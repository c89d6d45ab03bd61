// The fields of an index by dotted path, read from its definition.

import type { Definition, Field } from "@quiresearch/client";

export interface Fields {
  get(path: string): Field | undefined;
  /** The fields that can be highlighted. */
  highlighted: string[];
  /** The fields with a value per locale; a hit has the value for the locale of the search. */
  localized: string[];
  /** The first geo_point field that allows filters. */
  geo: string | undefined;
}

export function readFields(definition: Definition): Fields {
  const all = new Map<string, Field>();
  const walk = (fields: Record<string, Field>, prefix: string) => {
    for (const [name, field] of Object.entries(fields)) {
      all.set(prefix + name, field);
      walk(field.fields ?? {}, prefix + name + ".");
    }
  };
  walk(definition.fields ?? {}, "");
  const entries = [...all];
  return {
    get: (path) => all.get(path),
    highlighted: entries.filter(([, f]) => f.matching?.highlight ?? f.autocomplete?.highlight).map(([path]) => path),
    localized: entries.filter(([, f]) => f.locales).map(([path]) => path),
    geo: entries.find(([, f]) => f.type === "geo_point" && f.filter)?.[0],
  };
}

export function isNumeric(field: Field | undefined): boolean {
  return ["int32", "int64", "float", "double"].includes(field?.type ?? "");
}

/** Converts a refinement value, which InstantSearch keeps as a string, to the type of the field. */
export function literal(field: Field | undefined, text: string): unknown {
  if (field?.type === "boolean") return text === "true";
  return isNumeric(field) ? Number(text) : text;
}

/**
 * Returns the field of an attribute and, for a level of a hierarchy, its number: a menu of a hierarchy `category` uses the attributes
 * `category.lvl0`, `category.lvl1` and so on.
 */
export function attributeOf(fields: Fields, attribute: string): { field: string; level: number | undefined } {
  const found = /^(.+)\.lvl(\d+)$/.exec(attribute);
  if (found && !fields.get(attribute) && fields.get(found[1]!)?.hierarchy) return { field: found[1]!, level: Number(found[2]) };
  return { field: attribute, level: undefined };
}
