import type { FastifyReply, FastifyRequest } from 'fastify';
import { etagOf, parseIfMatch } from '../http/conditional.ts';
import type { RouteAccess } from '../http/context.ts';
import { type CursorCodec, type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { Problem, validationProblem } from '../problems/problem.ts';
import type { OperatorChange } from './room.ts';

export const access: RouteAccess = { audience: 'operator', scope: 'operator:calendars' };
export const tags = ['Operator: calendars'];

/**
 * Who orders a change, with the version that they have seen: two operators cannot overwrite each other.
 * @throws Problem precondition_required without If-Match
 */
export function changeOf(request: FastifyRequest): OperatorChange {
  const ifMatch = parseIfMatch(request.headers['if-match']);
  if (ifMatch === undefined) {
    throw new Problem('precondition_required', 'Send the ETag of what this replaces as If-Match.');
  }
  const clientId = request.caller?.clientId;
  if (clientId === undefined) throw new Error('a guarded route has a caller');
  return { clientId, ifMatch };
}

/** The view with its version as ETag. It is for If-Match only: what is shown beside the version moves with the day. */
export function withVersion<View extends { readonly version: number }>(
  reply: FastifyReply,
  view: View,
): View {
  reply.header('ETag', etagOf(view.version)).header('Cache-Control', 'no-store');
  return view;
}

/** @throws Problem validation_failed */
export function pathYear(text: string): number {
  if (/^20[0-9]{2}$/.test(text)) return Number.parseInt(text, 10);
  throw validationProblem([{ pointer: '/path/year', code: 'wrong_format', detail: 'must be 2000 to 2099' }]);
}

/** One page of a history, newest version first. */
export async function sendVersions<Version extends { readonly version: number }, View>(
  request: FastifyRequest,
  reply: FastifyReply,
  cursors: CursorCodec,
  list: string,
  read: (limit: number, before: number | undefined) => Promise<readonly Version[]>,
  view: (version: Version) => View,
): Promise<unknown> {
  const reader = new QueryReader(request.query);
  const limit = reader.limit();
  const cursor = reader.cursor();
  reader.finish();
  const scope: CursorScope = { list, sort: '-version', filters: {} };
  const [before] = cursor === undefined ? [] : cursors.decode(scope, cursor);
  const rows = await read(limit + 1, typeof before === 'number' ? before : undefined);
  const page = cursors.page(scope, rows, limit, ({ version }) => [version], view);
  return linkedPage(request, reply, page);
}
