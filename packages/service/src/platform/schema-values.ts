import { createRequire } from 'node:module';
import type { Value } from 'typebox/value';

const load = createRequire(import.meta.url);

/** The library's checks of values against schemas, loaded by who has something to check outside of a request. */
export function loadValue(): typeof Value {
  return (load('typebox/value') as { Value: typeof Value }).Value;
}
