/** Values inside of answers, by dotted paths: `rate.value`, `items.0.amount`. */

export type Row = Readonly<Record<string, unknown>>;

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Object.hasOwn(found, name) ? (found as Row)[name] : undefined;
  }
  return found;
}

/** The object with nothing but what the paths lead to, in their order. */
export function pick(value: unknown, paths: readonly string[]): unknown {
  if (!isRow(value)) return value;
  const picked: Record<string, unknown> = {};
  for (const path of paths) {
    const found = valueAt(value, path);
    if (found === undefined) continue;
    const names = path.split('.');
    const last = names.pop() ?? '';
    let target = picked;
    for (const name of names) {
      const next = isRow(target[name]) ? { ...target[name] } : {};
      define(target, name, next);
      target = next;
    }
    define(target, last, found);
  }
  return picked;
}

/** Also where a name is `__proto__`. */
function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, writable: true, configurable: true });
}

/** Every leaf by its path. Lists stay whole, since their length differs; an object without members has no leaf. */
export function flatten(value: unknown, prefix = ''): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  if (!isRow(value)) return leaves.set(prefix, value);
  for (const [name, inner] of Object.entries(value)) {
    const path = prefix === '' ? name : `${prefix}.${name}`;
    if (isRow(inner)) for (const [deeper, leaf] of flatten(inner, path)) leaves.set(deeper, leaf);
    else leaves.set(path, inner);
  }
  return leaves;
}

/** A leaf as text: lists of plain values with commas, other lists as JSON. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object' || each === null)) {
    return value.map(textOf).join(', ');
  }
  return JSON.stringify(value);
}
