import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { oneLargeAtATime } from '../http/connections.ts';
import { type CursorPart, type CursorScope, linkedPage } from '../http/paging.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { isoInstant } from '../platform/clock.ts';
import { parseTypeId } from '../platform/ids.ts';
import { findFile, listFiles, readFileParts } from './file-store.ts';
import { listEntries, listStatements } from './listing-store.ts';
import { DEPOSIT_STATES, type FileRow, PAYMENT_STATES } from './record.ts';
import {
  access,
  fileReport,
  noSuchFile,
  STATEMENTS_PATH,
  type StatementRoutesOptions,
  tags,
} from './route-parts.ts';
import {
  EntriesQuery,
  EntryList,
  FileList,
  FileParams,
  FileReport,
  FilesQuery,
  PageQuery,
  StatementList,
  StatusesQuery,
  StatusList,
} from './schema.ts';
import { listStatuses, STATUS_STATES } from './status-store.ts';
import { entryView, fileView, statementView, statusView } from './view.ts';

interface ById {
  Params: { fileId: string };
}

export function readingRoutes(app: FastifyInstance, options: StatementRoutesOptions): void {
  filesRoute(app, options);
  fileRoute(app, options);
  bytesRoute(app, options);
  statementsRoute(app, options);
  entriesRoute(app, options);
  statusesRoute(app, options);
}

function filesRoute(app: FastifyInstance, { room, cursors }: StatementRoutesOptions): void {
  app.get(
    STATEMENTS_PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'List statement files, newest first',
        querystring: FilesQuery,
        response: { 200: FileList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const filter = {
        status: query.list('status', ['accepted', 'refused']),
        from: query.instant('from'),
        to: query.instant('to'),
      };
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const scope: CursorScope = { list: 'statement-files', sort: '-receivedAt', filters: filter };
      const parts = cursor === undefined ? undefined : cursors.decode(scope, cursor);
      const before = parts && { receivedAt: String(parts[0]), id: String(parts[1]) };
      const rows = await listFiles(room.pool, filter, before, limit + 1);
      const page = cursors.page(scope, rows, limit, (row) => [isoInstant(row.received_at), row.id], fileView);
      return linkedPage(request, reply, page);
    },
  );
}

function fileRoute(app: FastifyInstance, { room }: StatementRoutesOptions): void {
  app.get<ById>(
    `${STATEMENTS_PATH}/:fileId`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'A statement file',
        params: FileParams,
        response: { 200: FileReport, default: ProblemSchema },
      },
    },
    async (request) => fileReport(room, await requireFile({ room }, request.params.fileId)),
  );
}

function bytesRoute(app: FastifyInstance, { room }: StatementRoutesOptions): void {
  app.get<ById>(
    `${STATEMENTS_PATH}/:fileId/file`,
    {
      onRequest: oneLargeAtATime,
      config: { access },
      schema: {
        tags,
        summary: 'The bytes of a statement file, as they came',
        params: FileParams,
        response: { default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const file = await requireFile({ room }, request.params.fileId);
      reply
        .header('Content-Type', 'application/octet-stream')
        .header('Content-Length', file.size_bytes)
        // The name comes from outside: no browser shall make anything of it but a file.
        .header('Content-Disposition', `attachment; filename*=UTF-8''${encoded(file.name)}`)
        .header('X-Content-Type-Options', 'nosniff');
      return reply.send(Readable.from(readFileParts(room.pool, file.id), { objectMode: false }));
    },
  );
}

/** RFC 8187. */
function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function statementsRoute(app: FastifyInstance, { room, cursors }: StatementRoutesOptions): void {
  app.get<ById>(
    `${STATEMENTS_PATH}/:fileId/statements`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'The statements of a file, with what is missing before each',
        params: FileParams,
        querystring: PageQuery,
        response: { 200: StatementList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const { id } = await requireFile({ room }, request.params.fileId);
      const scope: CursorScope = { list: 'statements', sort: 'position', filters: { file: id } };
      const [after] = cursor === undefined ? [-1] : cursors.decode(scope, cursor);
      const rows = await listStatements(room.pool, id, whole(after), limit + 1);
      const page = cursors.page(scope, rows, limit, (row) => [row.position], statementView);
      return linkedPage(request, reply, page);
    },
  );
}

function entriesRoute(app: FastifyInstance, { room, cursors }: StatementRoutesOptions): void {
  app.get<ById>(
    `${STATEMENTS_PATH}/:fileId/entries`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'The entries of a file, in its order',
        params: FileParams,
        querystring: EntriesQuery,
        response: { 200: EntryList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const isNew = query.choice('new', ['true', 'false']);
      const filter = {
        isNew: isNew === undefined ? undefined : isNew === 'true',
        direction: query.list('direction', ['credit', 'debit']),
        depositState: query.list('depositState', DEPOSIT_STATES),
        paymentState: query.list('paymentState', PAYMENT_STATES),
      };
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const { id } = await requireFile({ room }, request.params.fileId);
      const scope: CursorScope = {
        list: 'statement-entries',
        sort: 'position',
        filters: { file: id, ...filter },
      };
      const [position, number] = cursor === undefined ? [-1, 0] : cursors.decode(scope, cursor);
      const after = { position: whole(position), number: whole(number) };
      const rows = await listEntries(room.pool, id, filter, after, limit + 1);
      const page = cursors.page(scope, rows, limit, (row) => [row.position, row.number], entryView);
      return linkedPage(request, reply, page);
    },
  );
}

function statusesRoute(app: FastifyInstance, { room, cursors }: StatementRoutesOptions): void {
  app.get<ById>(
    `${STATEMENTS_PATH}/:fileId/payment-statuses`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'What a status report says of payments, in the order in which it counts',
        params: FileParams,
        querystring: StatusesQuery,
        response: { 200: StatusList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const state = query.list('state', STATUS_STATES);
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const { id } = await requireFile({ room }, request.params.fileId);
      const scope: CursorScope = { list: 'payment-statuses', sort: 'position', filters: { file: id, state } };
      const [after] = cursor === undefined ? [-1] : cursors.decode(scope, cursor);
      const rows = await listStatuses(room.pool, id, state, whole(after), limit + 1);
      const page = cursors.page(scope, rows, limit, (row) => [row.position], statusView);
      return linkedPage(request, reply, page);
    },
  );
}

/** Cursors are signed, so what is in them is what was put there. */
function whole(part: CursorPart | undefined): number {
  if (typeof part !== 'number') throw new Error('the cursor holds no number');
  return part;
}

async function requireFile({ room }: Pick<StatementRoutesOptions, 'room'>, text: string): Promise<FileRow> {
  const id = parseTypeId('stf', text);
  const file = id === undefined ? undefined : await findFile(room.pool, id);
  if (file === undefined) throw noSuchFile();
  return file;
}
