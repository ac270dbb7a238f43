import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './kit.ts';

/** Names of settings, as the reference has them. */
export const SETTINGS: ReadonlySet<string> = new Set(
  [...readFileSync(join(ROOT, 'docs/reference/settings.md'), 'utf8').matchAll(/^\| `(\w+)` \|/gm)].map(
    ([, name = '']) => name,
  ),
);

/** Of the names of an example those that look like settings of the service and are none. */
export function unknownSettings(names: readonly string[]): string[] {
  return names.filter((name) => /^(FIRMQUOTE|OTEL|DATABASE)_/.test(name) && !SETTINGS.has(name));
}
