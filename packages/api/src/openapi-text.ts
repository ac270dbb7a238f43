/** The longest line that is not broken up. */
const WIDTH = 200;

/**
 * JSON that people and `git diff` read line by line and that is not much longer than it must be: what fits on a line stands on one.
 */
export function jsonText(value: unknown): string {
  return `${write(value, 0, 0)}\n`;
}

/** @param before characters before it on its line, beside the indentation */
function write(value: unknown, depth: number, before: number): string {
  const flat = JSON.stringify(value);
  const isLeaf = typeof value !== 'object' || value === null;
  if (isLeaf || depth + before + flat.length <= WIDTH) return flat;
  const isArray = Array.isArray(value);
  const parts = isArray
    ? value.map((each) => write(each, depth + 1, 1))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => {
          const key = `${JSON.stringify(name)}:`;
          return key + write(member, depth + 1, key.length + 1);
        });
  const indent = `\n${' '.repeat(depth + 1)}`;
  const [open, close] = isArray ? '[]' : '{}';
  return `${open}${indent}${parts.join(`,${indent}`)}\n${' '.repeat(depth)}${close}`;
}
