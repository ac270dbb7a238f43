import { Readable } from 'node:stream';
import * as api from '@firmquote/api/operations/bank-statements';
import { CsvMapping } from '@firmquote/api/operations/statement-mappings';
import { previewStatementFile } from '@firmquote/api/operations/statement-preview';
import { FILE_BYTES_MAX } from '@firmquote/bank-formats';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { proposed } from '../approvals/view.ts';
import { inTransaction, type Queryable } from '../database/pool.ts';
import { rawCommandOf } from '../http/command-desk.ts';
import { oneLargeAtATime } from '../http/connections.ts';
import { fileBody } from '../http/file-body.ts';
import { requireForm } from '../http/forms.ts';
import { queryProblem } from '../http/parameters.ts';
import { notWith } from '../http/sentences.ts';
import { type Result, serve } from '../http/serve.ts';
import { isoInstant } from '../platform/clock.ts';
import { actorId, typeId } from '../platform/ids.ts';
import { validationProblem } from '../problems/problem.ts';
import { bookEntries } from './book-entries.ts';
import { entryRoutes } from './entry-routes.ts';
import { fileReport } from './file-report.ts';
import { findFile, listFiles, readFileParts } from './file-store.ts';
import { importFor } from './import-by-hand.ts';
import { listDetails, listStatements } from './listing-store.ts';
import { deleteMapping, listMappings, type NamedMapping } from './mapping-store.ts';
import { mappingNotFound, requireMapping, setMapping } from './mappings.ts';
import { previewFile } from './preview-file.ts';
import type { FileRow } from './record.ts';
import { deleteRefusedFile, proposeAcceptance } from './refused-files.ts';
import type { StatementsRoom } from './room.ts';
import { type Spooled, spooled, tooLarge } from './spool.ts';
import { listStatuses } from './status-store.ts';
import {
  entryView,
  fileView,
  mappingView,
  noSuchFile,
  refusedProblem,
  statementView,
  statusView,
} from './view.ts';
import { withdrawFile } from './withdraw-file.ts';

/** Statements of the house's banks. */
export function statementRoutes(app: FastifyInstance, room: StatementsRoom): void {
  // The body is a file, whatever its media type.
  app.register(async (uploads) => {
    uploads.removeAllContentTypeParsers();
    uploads.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    uploadRoutes(uploads, room);
  });
  fileRoutes(app, room);
  decisionRoutes(app, room);
  contentRoutes(app, room);
  mappingRoutes(app, room);
  entryRoutes(app, room);
}

function uploadRoutes(app: FastifyInstance, room: StatementsRoom): void {
  serve(app, api.importStatementFile, async ({ request, query, by }) => {
    const { reason } = rawCommandOf(request);
    const came = await received(request, (bytes) => {
      const file = {
        ...bytes,
        ...query,
        name: query.name ?? UNNAMED,
        source: 'api',
        receivedBy: by,
      } as const;
      return importFor(room, file, { actor: by, reason });
    });
    if (!('outcome' in came)) return proposed(came);
    const { outcome, file } = came;
    if (outcome === 'refused') throw refusedProblem(file);
    if (outcome === 'accepted') await bookEntries(room, app.logger);
    return {
      status: outcome === 'accepted' ? 201 : 200,
      headers: { Location: `${api.importStatementFile.path}/${typeId('stf', file.id)}` },
      body: await fileReport(room.pool, file),
    };
  });
  serve(
    app,
    previewStatementFile,
    async ({ request, query: { name = UNNAMED, draftMapping, ...choice } }) => {
      const draft = draftMapping === undefined ? undefined : draftOf(request, draftMapping);
      const body = await received(request, (bytes) =>
        previewFile(room, { ...bytes, ...choice, name, draft }),
      );
      return { body };
    },
    {
      judge: ({ mapping, draftMapping }, refuse) => {
        if (mapping !== undefined && draftMapping !== undefined)
          refuse('mapping', 'not_permitted', notWith('draftMapping'));
      },
    },
  );
}

const UNNAMED = 'statement';

/** Takes the file that is the body of a request. @throws Problem body_too_large, validation_failed without one */
function received<T>(request: FastifyRequest, work: (bytes: Spooled) => Promise<T>): Promise<T> {
  const readmit = request.server.readmission(request);
  if (Number.parseInt(request.headers['content-length'] ?? '0', 10) > FILE_BYTES_MAX) throw tooLarge();
  const given: unknown = request.body;
  const body = given instanceof Readable ? given : Readable.from([]);
  return spooled(body, async (bytes) => {
    // The body comes after the request was let in, in its own time.
    await readmit();
    if (bytes.sizeBytes === 0) {
      const detail = 'is empty; send the file as the body';
      throw validationProblem([{ pointer: '', code: 'required', detail }]);
    }
    return work(bytes);
  });
}

/** @throws Problem validation_failed, and what Fastify throws for a mapping of the wrong form */
function draftOf(request: FastifyRequest, text: string): CsvMapping {
  let draft: unknown;
  try {
    draft = JSON.parse(text);
  } catch {
    throw queryProblem('draftMapping', 'wrong_format', 'must be JSON');
  }
  requireForm(request, CsvMapping, draft, { part: 'querystring', at: '/draftMapping' });
  return draft as CsvMapping;
}

function fileRoutes(app: FastifyInstance, { pool }: StatementsRoom): void {
  serve(app, api.listStatementFiles, async ({ query, page }) => {
    const rows = await listFiles(pool, query, page.place('instant', 'uuid'), page.rows);
    return { body: page.of(rows, (row) => [isoInstant(row.received_at), row.id], fileView) };
  });
  serve(app, api.getStatementFile, async ({ params }) => reported(pool, params.fileId));
  serve(
    app,
    api.downloadStatementFile,
    async ({ request, params }) => {
      const file = await requireFile(pool, params.fileId);
      return {
        headers: {
          'Content-Type': 'application/octet-stream',
          'Content-Length': file.size_bytes,
          // The name comes from outside: a browser must treat this as a file and nothing else.
          'Content-Disposition': `attachment; filename*=UTF-8''${encoded(file.name)}`,
          'X-Content-Type-Options': 'nosniff',
        },
        body: fileBody(request, readFileParts(pool, file)),
      };
    },
    { onRequest: oneLargeAtATime },
  );
}

/** RFC 8187. */
function encoded(name: string): string {
  return encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** What operators decide about whole files. */
function decisionRoutes(app: FastifyInstance, room: StatementsRoom): void {
  serve(app, api.deleteStatementFile, async ({ params, by, request }) => {
    const { id, name, sha256 } = await deleteRefusedFile(room, params.fileId);
    app.logger.info(
      { fileId: typeId('stf', id), name, sha256, by: actorId(by), requestId: request.id },
      'refused statement file deleted',
    );
    return {};
  });
  serve(app, api.withdrawStatementFile, async ({ params, body, by, inCommit }) => {
    await withdrawFile(room, {
      fileId: params.fileId,
      actor: by,
      reason: body.reason,
      inCommit: inCommit((outcome, connection) =>
        outcome.done ? reported(connection, outcome.result.file.id) : proposed(outcome.approval),
      ),
    });
  });
  serve(app, api.acceptStatementFile, async ({ params, body, by, inCommit }) => {
    const command = { fileId: params.fileId, actor: by, reason: body.reason };
    await proposeAcceptance(room, { ...command, inCommit: inCommit(proposed) });
  });
}

/** What a file says. */
function contentRoutes(app: FastifyInstance, { pool }: StatementsRoom): void {
  serve(app, api.listStatementsOfFile, async ({ params, page }) => {
    const { id } = await requireFile(pool, params.fileId);
    const [after] = page.place('number') ?? [-1];
    const rows = await listStatements(pool, id, after, page.rows);
    return { body: page.of(rows, (row) => [row.position], statementView) };
  });
  serve(app, api.listEntriesOfFile, async ({ params, query, page }) => {
    const { id } = await requireFile(pool, params.fileId);
    const [position, number] = page.place('number', 'number') ?? [-1, 0];
    const filter = { ...query, isNew: query.new === undefined ? undefined : query.new === 'true' };
    const rows = await listDetails(pool, id, filter, { position, number }, page.rows);
    return { body: page.of(rows, (row) => [row.position, row.number], entryView) };
  });
  serve(app, api.listPaymentStatusesOfFile, async ({ params, query, page }) => {
    const { id } = await requireFile(pool, params.fileId);
    const [after] = page.place('number') ?? [-1];
    const rows = await listStatuses(pool, id, query.state, after, page.rows);
    return { body: page.of(rows, (row) => [row.position], statusView) };
  });
}

/** How CSV files are read. */
function mappingRoutes(app: FastifyInstance, room: StatementsRoom): void {
  const { pool } = room;
  serve(app, api.listStatementMappings, async () => ({
    body: { items: (await listMappings(pool)).map(mappingView) },
  }));
  const shown = (mapping: NamedMapping) => ({ version: mapping.version, body: mappingView(mapping) });
  serve(app, api.getStatementMapping, async ({ params }) => shown(await requireMapping(pool, params.name)));
  serve(app, api.setStatementMapping, async ({ params: { name }, body, by, ifMatch }) =>
    shown(await setMapping(room, { name, mapping: body, by }, ifMatch)),
  );
  serve(app, api.deleteStatementMapping, async ({ params }) => {
    const isGone = await inTransaction(pool, (connection) => deleteMapping(connection, params.name));
    if (!isGone) throw mappingNotFound(params.name);
    return {};
  });
}

async function reported(connection: Queryable, fileId: string): Promise<Result> {
  return { status: 200, body: await fileReport(connection, await requireFile(connection, fileId)) };
}

async function requireFile(connection: Queryable, fileId: string): Promise<FileRow> {
  const file = await findFile(connection, fileId);
  if (file === undefined) throw noSuchFile();
  return file;
}
