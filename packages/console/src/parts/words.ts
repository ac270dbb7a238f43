/** `1 row`, `2 rows`, `3 entries`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** An instant in UTC, to the second or as it is. */
export function instantText(at: string, full = false): string {
  const text = at.replace('T', ' ').replace('Z', '');
  return `${full ? text : text.slice(0, 19)} UTC`;
}

/** `awaiting_funds` as people read it. */
export function words(code: string): string {
  const text = code.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}
