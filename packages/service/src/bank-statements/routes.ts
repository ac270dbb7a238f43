import { Readable } from 'node:stream';
import { FILE_BYTES_MAX, STATEMENT_FORMATS } from '@firmquote/bank-formats';
import type { FastifyInstance } from 'fastify';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { typeId } from '../platform/ids.ts';
import { validationProblem } from '../problems/problem.ts';
import { accountDayRoutes } from './account-day-routes.ts';
import { bookEntries } from './book-entries.ts';
import { entryOrderRoutes } from './entry-order-routes.ts';
import { fileOrderRoutes } from './file-order-routes.ts';
import { type ImportedFile, importFile } from './import-file.ts';
import { mappingRoutes } from './mapping-routes.ts';
import { readingRoutes } from './reading-routes.ts';
import { access, fileReport, STATEMENTS_PATH, type StatementRoutesOptions, tags } from './route-parts.ts';
import { FileReport, StatementFile, UploadQuery } from './schema.ts';
import { spooled, tooLarge } from './spool.ts';
import { refusedProblem } from './view.ts';

/** Statements of the house's banks. */
export function statementRoutes(app: FastifyInstance, options: StatementRoutesOptions): void {
  // Bodies of these routes are files: they are taken as they come, whatever they say they are.
  app.register(async (uploads) => {
    uploads.removeAllContentTypeParsers();
    uploads.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    uploadRoute(uploads, options);
  });
  readingRoutes(app, options);
  mappingRoutes(app, options);
  accountDayRoutes(app, options);
  entryOrderRoutes(app, options);
  fileOrderRoutes(app, options);
}

function uploadRoute(app: FastifyInstance, { room }: StatementRoutesOptions): void {
  app.post(
    STATEMENTS_PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'Import a statement file',
        description:
          'The body is the file itself: camt.052, camt.053, camt.054, pain.002, MT940, MT942, CSV or JSON, at most 256 MiB. All of it is taken in or nothing. The same bytes again answer 200 with the file of the first time. Entries that another file has told of are not booked again. Credits become deposits, debits confirm payouts.',
        querystring: UploadQuery,
        body: { content: { 'application/octet-stream': { schema: StatementFile } } },
        response: { 200: FileReport, 201: FileReport, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const name = query.text('name', 255) ?? 'statement';
      const format = query.choice('format', STATEMENT_FORMATS);
      const mapping = query.text('mapping', 40);
      query.finish();
      if (Number.parseInt(request.headers['content-length'] ?? '0', 10) > FILE_BYTES_MAX) throw tooLarge();
      const body = request.body instanceof Readable ? request.body : Readable.from([]);
      const imported = await spooled(body, async (file) => {
        if (file.sizeBytes === 0) {
          throw validationProblem([
            { pointer: '', code: 'required', detail: 'is empty; send the file as the body' },
          ]);
        }
        const receivedBy = request.caller?.clientId;
        return importFile(room, { ...file, name, format, mapping, source: 'api', receivedBy });
      });
      if (imported.outcome === 'refused') throw refusedProblem(imported.file);
      if (imported.outcome === 'accepted') await bookEntries(room, request.server.logger);
      reply.header('Location', `${STATEMENTS_PATH}/${typeId('stf', imported.file.id)}`);
      return reply.status(statusOf(imported)).send(await fileReport(room, imported.file));
    },
  );
}

function statusOf({ outcome }: ImportedFile): 200 | 201 {
  return outcome === 'accepted' ? 201 : 200;
}
