import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface SourceFile {
  /** From the root of the project. */
  readonly path: string;
  readonly text: string;
}

/** Source files of the packages, without tests, in the order of their paths. */
export function sourceFiles(): SourceFile[] {
  return globSync('packages/*/src/**/*.ts', { cwd: ROOT })
    .filter((path) => !path.includes('node_modules') && !/test-support|\.test\.ts$/.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/**
 * What a constant expression of whole numbers comes to, names of other constants of the file included.
 * @returns undefined for every other expression
 */
export function evaluate(expression: string, file: SourceFile): number | undefined {
  const numbers = expression.replaceAll(/\b([A-Z][A-Z0-9_]*)\b/g, (name) => {
    const found = new RegExp(`const ${name}(?:: [^=]+)? =\\s*([^;]+);`).exec(file.text)?.[1];
    const value = found === undefined ? undefined : evaluate(found, file);
    return value === undefined ? name : String(value);
  });
  const plain = numbers.replaceAll(/(?<=\d)[_n]/g, '');
  if (!/^[\d\s+*()]+$/.test(plain)) return undefined;
  const sum = (text: string) =>
    text
      .split('+')
      .map((product) => product.split('*').reduce((total, factor) => total * Number(factor), 1))
      .reduce((total, part) => total + part, 0);
  return plain.includes('(') ? undefined : sum(plain);
}

/** `2500` → `2.5 s`, `86400000` → `24 h`, `2592000000` → `30 days`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 10 * MINUTE && ms % MINUTE !== 0) return `${ms / 1_000} s`;
  if (ms < HOUR) return `${ms / MINUTE} min`;
  return ms <= 2 * DAY ? `${ms / HOUR} h` : `${count(ms / DAY)} days`;
}

/** `65536` → `64 KiB`. */
export function bytes(count: number): string {
  const [unit, size] = count >= 1024 ** 2 && count % 1024 ** 2 === 0 ? ['MiB', 1024 ** 2] : ['KiB', 1024];
  return count < 1024 ? `${count} bytes` : `${count / size} ${unit}`;
}

export const count = (value: number) => value.toLocaleString('en-US');
