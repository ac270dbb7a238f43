type Json = Record<string, unknown>;
type Operations = Readonly<Record<string, Record<string, Json>>>;

/**
 * Holds once, under `components`, what several operations have alike, and leaves references in its place.
 * @param components gets what is shared
 * @param nameOf of several parts with one name the most frequent one gets it, and the others stay where they are
 */
export function share(
  paths: Readonly<Record<string, Json>>,
  kind: 'parameters' | 'responses',
  components: Record<string, unknown> = {},
  nameOf: (part: Json) => string | undefined,
): void {
  const all = Object.values(paths as Operations).flatMap((methods) =>
    Object.values(methods).flatMap(({ [kind]: parts }) => (parts === undefined ? [] : [parts as object])),
  );
  const counts = new Map<string, { count: number; part: Json }>();
  for (const part of all.flatMap((parts) => Object.values(parts) as Json[])) {
    const text = JSON.stringify(part);
    const known = counts.get(text) ?? { count: 0, part };
    known.count += 1;
    counts.set(text, known);
  }
  const references = new Map<string, Json>();
  for (const [text, { count, part }] of [...counts].sort(([, a], [, b]) => b.count - a.count)) {
    const name = '$ref' in part ? undefined : nameOf(part);
    if (count === 1 || name === undefined || name in components) continue;
    components[name] = part;
    references.set(text, { $ref: `#/components/${kind}/${name}` });
  }
  for (const parts of all as Record<string, Json>[]) {
    for (const [key, part] of Object.entries(parts))
      parts[key] = references.get(JSON.stringify(part)) ?? part;
  }
}

/** Less than this is not much longer than a reference. */
const NAMED_MIN_CHARACTERS = 60;

/** Where a schema that has a name is written out once more, a reference to it takes its place. */
export function referToNamed(paths: unknown, schemas: Readonly<Record<string, unknown>>): void {
  const namesOf = Map.groupBy(Object.keys(schemas), (name) => JSON.stringify(schemas[name]));
  const replace = (holder: Json, key: string) => {
    const text = JSON.stringify(holder[key]);
    const [name, ...others] = namesOf.get(text) ?? [];
    const isWorth = name !== undefined && others.length === 0 && text.length >= NAMED_MIN_CHARACTERS;
    if (isWorth) holder[key] = { $ref: `#/components/schemas/${name}` };
    else visit(holder[key]);
  };
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, each] of Object.entries(value)) {
      const isHolder = key === 'properties' || key === 'anyOf' || key === 'allOf';
      if (isHolder) for (const name of Object.keys(each)) replace(each as Json, name);
      else if (key === 'items' || key === 'schema') replace(value as Json, key);
      else if (key !== 'example') visit(each);
    }
  };
  visit(paths);
  for (const schema of Object.values(schemas)) visit(schema);
}
