/** The longest line that is not broken up, without its indentation. */
const WIDTH = 250;
/** Deeper levels than this are not indented any further: it would be a tenth of the file. */
const INDENTATION_MAX = 1;

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
  if (isLeaf || before + flat.length <= WIDTH) return flat;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => [Array.isArray(value) ? '' : `${JSON.stringify(name)}:`, member] as const);
  const [[key, only] = ['', undefined]] = members;
  // Wrappers of one thing open and close with it.
  if (members.length === 1) return open + key + write(only, depth, before + 1 + key.length) + close;
  const indent = (levels: number) => `\n${' '.repeat(Math.min(levels, INDENTATION_MAX))}`;
  const lines = members.map(([name, member]) => name + write(member, depth + 1, name.length));
  return `${open}${indent(depth + 1)}${lines.join(`,${indent(depth + 1)}`)}${indent(depth)}${close}`;
}
