/**
 * What was read anew, with each member that is equal to what was held before taken from there, and what was held itself where all
 * are. Most that is read again and again has not changed. A new object would live for seconds, just long enough to be copied twice
 * and to become rubbish among the old ones, which is the dear kind; and what is remembered by the object would be made anew.
 */
export function keepEqual<T>(before: T | undefined, read: T): T {
  if (isEqual(before, read)) return before as T;
  if (!isRecord(before) || !isRecord(read)) return read;
  const members = Object.entries(read).map(([name, value]) => {
    const held = before[name];
    return [name, isEqual(held, value) ? held : value];
  });
  return Object.fromEntries(members);
}

/** Of data alone: an object of a class, whose private members nobody sees, is equal to nothing but itself. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((v, i) => isEqual(v, b[i]));
  if (a instanceof Set && b instanceof Set) return a.size === b.size && [...a].every((v) => b.has(v));
  if (!isRecord(a) || !isRecord(b)) return false;
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isEqual(a[name], b[name]))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
