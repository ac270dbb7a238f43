import { fitsName, type StatementFormat, StatementRefusal } from '@firmquote/bank-formats';
import type { Queryable } from '../database/pool.ts';
import { Problem } from '../problems/problem.ts';
import { findMapping, listMappings, type NamedMapping } from './mapping-store.ts';

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

/** @throws Problem statement_mapping_not_found */
export async function requireMapping(connection: Queryable, name: string): Promise<NamedMapping> {
  const found = await findMapping(connection, name);
  if (found === undefined) throw mappingNotFound(name);
  return found;
}

export function mappingNotFound(name: string): Problem {
  return new Problem('statement_mapping_not_found', `No statement mapping is named ${name}.`);
}
