import {
  type ByteSource,
  type CsvMapping,
  formatOf,
  readStatements,
  type StatementEvent,
  type StatementFormat,
} from '@firmquote/bank-formats';
import type { Queryable } from '../database/pool.ts';
import { isoInstant } from '../platform/clock.ts';
import { digestOf, mappingFor } from './mappings.ts';

/** What says how a file is read. */
export interface ReadAs {
  readonly format?: StatementFormat | undefined;
  /** Name of a CSV mapping; by default the one whose file names fit. */
  readonly mapping?: string | undefined;
  /** A CSV mapping that is kept nowhere, in place of a named one. */
  readonly draft?: CsvMapping | undefined;
}

export interface ReadFile {
  readonly format: StatementFormat;
  /** The kept mapping that reads it. */
  readonly mapping: string | undefined;
  /** Of that mapping; see `digestOf`. */
  readonly mappingDigest: string | undefined;
  /** Reads from the beginning. @throws StatementRefusal */
  events(): AsyncGenerator<readonly StatementEvent[]>;
}

/**
 * How a file is read, whether it is imported, held for a second person or only looked at.
 * @throws Problem statement_mapping_not_found; StatementRefusal
 */
export async function readFile(
  connection: Queryable,
  { name, receivedAt }: { readonly name: string; readonly receivedAt: number },
  { bytes, draft, ...choice }: ReadAs & { readonly bytes: ByteSource },
): Promise<ReadFile> {
  const found = draft === undefined ? await mappingFor(connection, name, choice) : undefined;
  const mapping = draft ?? found?.mapping;
  const format = await formatOf(bytes, { format: choice.format, mapping });
  const today = isoInstant(receivedAt).slice(0, 10);
  return {
    format,
    mapping: found?.name,
    mappingDigest: found && digestOf(found),
    events: () => readStatements(bytes, format, mapping, { today }),
  };
}
