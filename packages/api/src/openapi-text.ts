/** The longest line that is not broken up. */
const WIDTH = 600;

/**
 * JSON that people and `git diff` read line by line and that is not much longer than it must be: what fits on a line stands on one, and
 * no line is indented: that would be a tenth of the file.
 */
export function jsonText(value: unknown): string {
  return `${write(value, 0)}\n`;
}

/** @param before characters before it on its line */
function write(value: unknown, before: number): string {
  const flat = JSON.stringify(value);
  const isLeaf = typeof value !== 'object' || value === null;
  if (isLeaf || before + flat.length <= WIDTH) return flat;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => [Array.isArray(value) ? '' : `${JSON.stringify(name)}:`, member] as const);
  const [[key, only] = ['', undefined]] = members;
  // Wrappers of one thing open and close with it.
  if (members.length === 1) return open + key + write(only, before + 1 + key.length) + close;
  const lines = members.map(([name, member]) => name + write(member, name.length));
  return `${open}\n${lines.join(',\n')}\n${close}`;
}
