import { readFileSync } from 'node:fs';
import { usage } from '../errors.ts';

/** A parameter, or a field of a body. */
export interface Field {
  readonly name: string;
  /** `string`, `instant`, `integer`, `number`, `boolean`, `object`, `array`, or a list of one of them: `string[]`. */
  readonly type: string;
  readonly required?: true;
  readonly values?: readonly string[];
  readonly description?: string;
}

/** All that is known of an operation of the interface. */
export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly audience?: 'customer' | 'operator';
  readonly scope?: string;
  readonly pages?: true;
  readonly keyed?: true;
  /** Of what is no GET. */
  readonly changesNothing?: true;
  readonly params: readonly Field[];
  readonly query: readonly Field[];
  readonly headers: readonly string[];
  /** Without fields where it is a file. */
  readonly body?: { readonly media: string; readonly required: boolean; readonly fields?: readonly Field[] };
  /** Media types. */
  readonly answers: readonly string[];
}

let known: ReadonlyMap<string, Operation> | undefined;

/** Every operation by its id, as the interface describes it. */
export function operations(): ReadonlyMap<string, Operation> {
  known ??= new Map(
    (JSON.parse(readFileSync(new URL('./table.json', import.meta.url), 'utf8')) as Operation[]).map(
      (each) => [each.id, each],
    ),
  );
  return known;
}

export function operationOf(id: string): Operation {
  const found = operations().get(id);
  if (found === undefined)
    throw usage(`There is no operation “${id}”.`, 'firmquote call --list shows all of them.');
  return found;
}

/** Posts that change nothing that anybody would want to be asked about. */
const HARMLESS = new Set(['createQuote', 'createToken']);

/** Whether somebody should say yes before it is done to real money. */
export function isWrite({ method, id, changesNothing }: Operation): boolean {
  return method !== 'GET' && changesNothing !== true && !HARMLESS.has(id);
}
