import { hash } from 'node:crypto';
import {
  type CsvMapping,
  fitsName,
  mappingErrors,
  type StatementFormat,
  StatementRefusal,
} from '@firmquote/bank-formats';
import { inTransaction, type Queryable } from '../database/pool.ts';
import { requireVersion } from '../http/conditional.ts';
import { canonicalJson } from '../http/idempotency.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import {
  countMappings,
  findMapping,
  listMappings,
  lockMappings,
  type NamedMapping,
  writeMapping,
} from './mapping-store.ts';
import type { StatementsRoom } from './room.ts';

/** Each is compared with the name of each file in the watched folder. */
const MAPPINGS_MAX = 200; // limit: Mappings of CSV files

/**
 * Makes a mapping or replaces the one of this name.
 * @throws Problem validation_failed, version_mismatch, limit_exceeded
 */
export async function setMapping(
  { pool, clock }: Pick<StatementsRoom, 'pool' | 'clock'>,
  given: { readonly name: string; readonly mapping: CsvMapping; readonly by: string },
  ifMatch?: number | '*',
): Promise<NamedMapping> {
  requireSound(given.mapping);
  return inTransaction(pool, async (connection) => {
    await lockMappings(connection);
    const before = await findMapping(connection, given.name);
    requireVersion(ifMatch, before?.version ?? 0);
    if (before === undefined) requireRoom(await countMappings(connection));
    return writeMapping(connection, given.name, given.mapping, given.by, clock.now());
  });
}

/**
 * @param at pointer to where it stands in the request
 * @throws Problem validation_failed
 */
export function requireSound(mapping: CsvMapping, at = ''): void {
  const errors = mappingErrors(mapping).map(({ pointer, detail }) => ({
    pointer: `${at}${pointer}`,
    code: 'not_permitted',
    detail,
  }));
  if (errors.length > 0) throw validationProblem(errors);
}

function requireRoom(used: number): void {
  if (used < MAPPINGS_MAX) return;
  throw new Problem('limit_exceeded', `There are already ${MAPPINGS_MAX} mappings. Delete one first.`, {
    members: { limitType: 'statement_mappings', limit: MAPPINGS_MAX, used },
  });
}

/**
 * The mapping that a file is read with: the named one, or the only one whose file names match.
 * @throws Problem statement_mapping_not_found; StatementRefusal when several match
 */
export async function mappingFor(
  connection: Queryable,
  name: string,
  choice: { readonly format?: StatementFormat | undefined; readonly mapping?: string | undefined },
): Promise<NamedMapping | undefined> {
  if (choice.mapping !== undefined) return requireMapping(connection, choice.mapping);
  if (choice.format !== undefined && choice.format !== 'csv') return undefined;
  const fitting = (await listMappings(connection)).filter(({ mapping }) => fitsName(mapping, name));
  if (fitting.length > 1) {
    const names = fitting.map((each) => each.name).join(', ');
    throw new StatementRefusal('mapping_missing', `the file name matches several mappings: ${names}`);
  }
  return fitting[0];
}

/** Of how a mapping reads: another one is not what somebody has seen. */
export function digestOf({ mapping }: Pick<NamedMapping, 'mapping'>): string {
  return hash('sha256', canonicalJson(mapping), 'hex').slice(0, 32);
}

/** @throws Problem statement_mapping_not_found */
export async function requireMapping(connection: Queryable, name: string): Promise<NamedMapping> {
  const found = await findMapping(connection, name);
  if (found === undefined) throw mappingNotFound(name);
  return found;
}

export function mappingNotFound(name: string): Problem {
  return new Problem('statement_mapping_not_found', `No statement mapping is named ${name}.`);
}
