import type { Queryable } from '../database/pool.ts';
import type { DepositsRoom } from '../deposits/room.ts';
import type { RouteAccess } from '../http/context.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import type { CursorCodec } from '../http/paging.ts';
import { Problem } from '../problems/problem.ts';
import { countUndecided, listStatements } from './listing-store.ts';
import type { FileRow } from './record.ts';
import type { FileReport } from './schema.ts';
import { listStatuses } from './status-store.ts';
import { acceptedWarnings, fileView, statusWarnings, undecidedWarnings, warningsOf } from './view.ts';

export const STATEMENTS_PATH = '/v1/operator/statements';
export const access: RouteAccess = { audience: 'operator', scope: 'operator:statements' };
export const tags = ['Operator: statements'];

/** Statements of a file whose warnings are shown with it. */
const WARNED_STATEMENTS = 200;

export interface StatementRoutesOptions {
  readonly room: DepositsRoom;
  readonly idempotency: IdempotencyStore;
  readonly cursors: CursorCodec;
}

/** A file with what somebody should look at. */
export async function fileReport({ pool }: { readonly pool: Queryable }, file: FileRow): Promise<FileReport> {
  const statements = await listStatements(pool, file.id, -1, WARNED_STATEMENTS);
  const unknown =
    file.payment_statuses === 0 ? [] : await listStatuses(pool, file.id, ['unknown'], -1, WARNED_STATEMENTS);
  const undecided = file.bookings === 0 ? 0 : await countUndecided(pool, file.id);
  const warnings = [
    ...acceptedWarnings(file),
    ...warningsOf(statements),
    ...statusWarnings(unknown),
    ...undecidedWarnings(undecided),
  ];
  return { ...fileView(file), warnings };
}

export function noSuchFile(): Problem {
  return new Problem('statement_file_not_found', 'There is no such statement file.');
}
