/** The longest line that is not broken up, without its indentation. */
const WIDTH = 200;
/** Deeper than an operation or a schema nothing is indented any further: it would be a tenth of the file. */
const INDENTATION_MAX = 2;

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
  const isArray = Array.isArray(value);
  const parts = isArray
    ? value.map((each) => write(each, depth + 1, 0))
    : Object.entries(value)
        .filter(([, member]) => member !== undefined)
        .map(([name, member]) => {
          const key = `${JSON.stringify(name)}:`;
          return key + write(member, depth + 1, key.length);
        });
  const indent = (levels: number) => `\n${' '.repeat(Math.min(levels, INDENTATION_MAX))}`;
  const [open, close] = isArray ? '[]' : '{}';
  return `${open}${indent(depth + 1)}${parts.join(`,${indent(depth + 1)}`)}${indent(depth)}${close}`;
}
