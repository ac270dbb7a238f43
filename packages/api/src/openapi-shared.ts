type Json = Record<string, unknown>;
type Operations = Readonly<Record<string, Record<string, Json>>>;

const SCHEMAS = '#/components/schemas/';

/**
 * Holds once, under `components`, what several operations have alike, and leaves references in its place.
 * @param components gets what is shared
 * @param namesOf what a part may be called, best first; of several parts with one name the most frequent one gets it. A part for
 * which no name is left stays where it is.
 */
export function share(
  paths: Readonly<Record<string, Json>>,
  kind: 'headers' | 'parameters' | 'responses',
  components: Record<string, unknown> = {},
  namesOf: (part: Json, key: string) => readonly string[],
): void {
  const operations = Object.values(paths as Operations).flatMap((methods) => Object.values(methods));
  const holders =
    kind === 'headers'
      ? operations.flatMap(({ responses = {} }) => Object.values(responses as Json) as Json[])
      : operations;
  const all = holders.flatMap(({ [kind]: parts }) => (parts === undefined ? [] : [parts as object]));
  const counts = new Map<string, { count: number; part: Json; key: string }>();
  for (const [key, part] of all.flatMap((parts) => Object.entries(parts) as [string, Json][])) {
    const text = JSON.stringify(part);
    const known = counts.get(text) ?? { count: 0, part, key };
    known.count += 1;
    counts.set(text, known);
  }
  const references = new Map<string, Json>();
  for (const [text, { count, part, key }] of [...counts].sort(([, a], [, b]) => b.count - a.count)) {
    if (count === 1 || '$ref' in part) continue;
    const name = namesOf(part, key).find((each) => !(each in components));
    if (name === undefined) continue;
    components[name] = part;
    references.set(text, { $ref: `#/components/${kind}/${name}` });
  }
  for (const parts of all as Record<string, Json>[]) {
    for (const [key, part] of Object.entries(parts))
      parts[key] = references.get(JSON.stringify(part)) ?? part;
  }
}

/** Parameters are called as they are, and by their place where that is taken. */
export function namesOfParameter({ name, in: place }: Json): readonly string[] {
  return [`${name}`, `${name}.${place}`];
}

/** Headers likewise; one that is said in other words has a number. */
export function namesOfHeader(_: Json, name: string): readonly string[] {
  return [name, `${name}.2`];
}

interface AnswerSchema {
  readonly $ref?: string;
  readonly properties?: { readonly items?: { readonly items?: { readonly $ref?: string } } };
}

/** Answers are called as the schema of their bodies, and by status where that is taken; lists as what they hold. */
export function namesOfAnswer({ content = {} }: Json, status: string): readonly string[] {
  const { schema } = Object.values(content as Record<string, { schema?: AnswerSchema }>)[0] ?? {};
  const named = (ref: string | undefined) => ref?.slice(SCHEMAS.length);
  const name = named(schema?.$ref);
  if (name !== undefined) return [name, `${name}.${status}`];
  const item = named(schema?.properties?.items?.items?.$ref);
  return item === undefined ? [] : [`${item}.list`];
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
    if (isWorth) holder[key] = { $ref: `${SCHEMAS}${name}` };
    else visit(holder[key]);
  };
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, each] of Object.entries(value)) {
      const isHolder = key === 'properties' || key === 'anyOf' || key === 'allOf';
      if (isHolder) for (const name of Object.keys(each)) replace(each as Json, name);
      else if (key === 'items' || key === 'schema') replace(value as Json, key);
      else if (key !== 'example' && key !== 'examples') visit(each);
    }
  };
  visit(paths);
  for (const schema of Object.values(schemas)) visit(schema);
}
