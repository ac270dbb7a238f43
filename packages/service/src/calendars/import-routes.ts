import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { approvalView } from '../approvals/view.ts';
import { operatorOf } from '../http/context.ts';
import { type Answer, idempotent } from '../http/idempotency.ts';
import type { IdempotencyStore } from '../http/idempotency-store.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny, ProblemSchema } from '../http/schema.ts';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { validationProblem } from '../problems/problem.ts';
import { type ProposedImport, proposeImport, showImport } from './import-calendars.ts';
import { FILE_BYTES_MAX } from './import-file.ts';
import * as schema from './import-schema.ts';
import type { CalendarsRoom } from './room.ts';
import { access, tags } from './route-helpers.ts';

const PATH = '/v1/operator/calendar-imports';
const YEARS_MAX = 10; // limit: Years of one import
const SOURCE_LENGTH_MAX = 300;
const REASON_LENGTH_MAX = 200;
const CENTRE = /^[^:,]{1,40}:[A-Z]{3}$/;

export interface ImportRoutesOptions {
  readonly room: CalendarsRoom;
  readonly idempotency: IdempotencyStore;
}

/** A file as it stands in the request, with the query: a key stands for both. */
interface SentFile {
  readonly query: unknown;
  readonly sha256: string;
  readonly text: string;
}

export function importRoutes(app: FastifyInstance, options: ImportRoutesOptions): void {
  // The body is the file.
  app.register(async (uploads) => {
    uploads.removeAllContentTypeParsers();
    uploads.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    );
    proposeRoute(uploads, options);
  });
  app.get<{ Params: { importId: string } }>(
    `${PATH}/:importId`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'An import of holidays, with the difference that was proposed and what became of it',
        params: schema.ImportParams,
        response: { 200: schema.CalendarImport, default: ProblemSchema },
      },
    },
    async (request) => importView(await showImport(options.room, request.params.importId)),
  );
}

function proposeRoute(app: FastifyInstance, { room, idempotency }: ImportRoutesOptions): void {
  app.post(
    PATH,
    {
      bodyLimit: FILE_BYTES_MAX,
      config: { access },
      schema: {
        tags,
        summary: "Propose a vendor's holidays as the calendars of whole years",
        description:
          'The body is a CSV file in UTF-8, at most 2 MiB and 20,000 days: headings `currency` (or `centre`), `date` and `name`, then a line for each closing day. Nothing changes until another operator approves it; the list of approvals has those of kind `calendar_import`.',
        querystring: schema.ImportQuery,
        body: { content: { 'text/csv': { schema: { type: 'string' } } } },
        response: { 202: schema.CalendarImport, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
      preHandler: readFile,
    },
    idempotent({ store: idempotency }, async (request, keep) => {
      const { query, text, sha256 } = request.body as SentFile;
      let answer: Answer | undefined;
      await proposeImport(room, {
        ...readQuery(query),
        text,
        sha256,
        by: operatorOf(request),
        inCommit: async (connection, proposed) => {
          const headers = { Location: `${PATH}/${typeId('cim', proposed.made.id)}` };
          answer = { status: 202, headers, body: importView(proposed) };
          await keep(connection, answer);
        },
      });
      if (answer === undefined) throw new Error('an import was proposed without an answer');
      return answer;
    }),
  );
}

async function readFile(request: FastifyRequest): Promise<void> {
  const { body } = request;
  // What is asked is judged before what is sent.
  readQuery(request.query);
  if (!Buffer.isBuffer(body) || body.length === 0) throw fileProblem('required', 'must be the file');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw fileProblem('wrong_format', 'must be UTF-8');
  }
  const sent: SentFile = { query: request.query, sha256: hash('sha256', body, 'hex'), text };
  request.body = sent;
}

function fileProblem(code: string, detail: string) {
  return validationProblem([{ pointer: '', code, detail }]);
}

function readQuery(sent: unknown) {
  const query = new QueryReader(sent);
  const source = query.text('source', SOURCE_LENGTH_MAX)?.trim();
  const reason = query.text('reason', REASON_LENGTH_MAX)?.trim();
  const fromYear = year(query, 'fromYear');
  const toYear = year(query, 'toYear');
  const currencies = query.listMatching('currencies', /^[A-Z]{3}$/, 'a list of currencies such as EUR,JPY');
  const centres = query.listMatching('centres', CENTRE, 'a list such as TGT:EUR,NYB:USD');
  const given = { source, reason, fromYear: query.text('fromYear'), toYear: query.text('toYear') };
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === '') query.refuse(name, 'required', 'must be given');
  }
  if (fromYear > toYear || toYear - fromYear >= YEARS_MAX) {
    query.refuse('toYear', 'out_of_range', `must be fromYear or one of the ${YEARS_MAX - 1} years after it`);
  }
  const pairs = (centres ?? []).map((text) => text.split(':') as [string, string]);
  const [names, codes] = [pairs.map(([name]) => name), pairs.map(([, code]) => code)];
  if (new Set(names).size < names.length || new Set(codes).size < codes.length) {
    query.refuse('centres', 'repeated', 'must name each centre and each currency once');
  }
  query.finish();
  return {
    source: source ?? '',
    reason: reason ?? '',
    fromYear,
    toYear,
    currencies: currencies && new Set(currencies),
    centres: centres && new Map(pairs),
  };
}

/** 2000 to 2099. What is no such year is gathered as an error. */
function year(query: QueryReader, name: string): number {
  const text = query.text(name);
  if (text !== undefined && /^20[0-9]{2}$/.test(text)) return Number.parseInt(text, 10);
  if (text !== undefined) query.refuse(name, 'wrong_format', 'must be 2000 to 2099');
  return 2000;
}

function importView({ made, approval }: ProposedImport): schema.CalendarImport {
  const { fromYear, toYear, lines, leftOut, calendars } = made.proposal;
  return {
    importId: typeId('cim', made.id),
    source: made.source,
    fileSha256: made.fileSha256,
    fromYear,
    toYear,
    lines,
    leftOut,
    calendars: calendars.map(({ years, added, removed, renamed, ...calendar }) => ({
      ...calendar,
      years: years.map(({ days: _, ...rest }) => rest),
      added: [...added],
      removed: [...removed],
      renamed: [...renamed],
    })),
    approval: approvalView(approval),
    appliedAt:
      approval.status === 'approved' && approval.decidedAt !== null ? isoInstant(approval.decidedAt) : null,
  };
}
