import { formatAmount, knownCurrency } from '@firmquote/fx';
import { BANK_FILE_KINDS, type BookedEntry, bankReferenceOf } from '@firmquote/sandbox-bank';
import type { FastifyInstance } from 'fastify';
import type { RouteAccess } from '../../http/context.ts';
import { idempotent } from '../../http/idempotency.ts';
import type { IdempotencyStore } from '../../http/idempotency-store.ts';
import { type CursorCodec, type CursorScope, linkedPage } from '../../http/paging.ts';
import { QueryReader } from '../../http/query.ts';
import { acceptAny, ProblemSchema } from '../../http/schema.ts';
import { isoInstant } from '../../platform/clock.ts';
import { parseTypeId, typeId } from '../../platform/ids.ts';
import { Problem } from '../../problems/problem.ts';
import { bookAsked, returnDeposit } from './ask-bank.ts';
import { accountBalances } from './books-store.ts';
import { endDaysNow } from './end-day.ts';
import { bankFilesById, findBankFile, type ListedFile, listBankFiles } from './file-store.ts';
import * as schema from './schema.ts';
import { sourceOf } from './source.ts';
import type { BankRoom } from './tell.ts';

const access: RouteAccess = { audience: 'operator', scope: 'operator:sandbox' };
const tags = ['Sandbox'];
const FILES_PATH = '/v1/sandbox/bank/files';

export interface BankRoutesOptions {
  readonly room: BankRoom;
  readonly idempotency: IdempotencyStore;
  readonly cursors: CursorCodec;
}

/** The simulated bank as its customer, the house, sees it. */
export function bankRoutes(app: FastifyInstance, options: BankRoutesOptions): void {
  accountsRoute(app, options);
  filesRoute(app, options);
  fileRoute(app, options);
  statementsRoute(app, options);
  entriesRoute(app, options);
  returnRoute(app, options);
}

function accountsRoute(app: FastifyInstance, { room }: BankRoutesOptions): void {
  app.get(
    '/v1/sandbox/bank/accounts',
    {
      config: { access },
      schema: {
        tags,
        summary: "The house's accounts at the simulated bank",
        response: { 200: schema.BankAccounts, default: ProblemSchema },
      },
    },
    async () => ({
      items: (await accountBalances(room.pool)).map((each) => ({
        account: each.account,
        currency: each.currency,
        holder: each.holder,
        balance: formatAmount(each.balanceMinor, knownCurrency(each.currency)),
        statements: each.statements,
        lastStatementDate: each.lastStatementDay,
      })),
    }),
  );
}

function filesRoute(app: FastifyInstance, { room, cursors }: BankRoutesOptions): void {
  app.get(
    FILES_PATH,
    {
      config: { access },
      schema: {
        tags,
        summary: 'List the files of the simulated bank, newest first',
        querystring: schema.BankFileQuery,
        response: { 200: schema.BankFileList, default: ProblemSchema },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const query = new QueryReader(request.query);
      const kind = query.list('kind', BANK_FILE_KINDS);
      const limit = query.limit();
      const cursor = query.cursor();
      query.finish();
      const scope: CursorScope = { list: 'sandbox-bank-files', sort: '-sequence', filters: { kind } };
      const [before] = cursor === undefined ? [] : cursors.decode(scope, cursor);
      const rows = await listBankFiles(
        room.pool,
        kind,
        before === undefined ? undefined : String(before),
        limit + 1,
      );
      const page = cursors.page(scope, rows, limit, (row) => [row.sequence], fileView);
      return linkedPage(request, reply, page);
    },
  );
}

function fileRoute(app: FastifyInstance, { room }: BankRoutesOptions): void {
  app.get<{ Params: { fileId: string } }>(
    `${FILES_PATH}/:fileId`,
    {
      config: { access },
      schema: {
        tags,
        summary: 'The bytes of a file of the simulated bank',
        params: schema.BankFileParams,
        response: { default: ProblemSchema },
      },
    },
    async (request, reply) => {
      const id = parseTypeId('sbf', request.params.fileId);
      const file = id === undefined ? undefined : await findBankFile(room.pool, id);
      if (file === undefined) throw new Problem('statement_file_not_found', 'There is no such file.');
      reply
        .header('Content-Type', 'application/xml')
        .header('Content-Disposition', `attachment; filename="${file.name}"`)
        .header('X-Content-Type-Options', 'nosniff');
      return reply.send(file.content);
    },
  );
}

function statementsRoute(app: FastifyInstance, { room, idempotency }: BankRoutesOptions): void {
  app.post(
    '/v1/sandbox/bank/statements',
    {
      config: { access },
      schema: {
        tags,
        summary: "End the simulated bank's day now",
        description:
          'Writes the statement (camt.053) of every account with entries that are in none yet. By itself that happens at midnight UTC of business time.',
        response: { 200: schema.EndedDays, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async () => {
      const files = await bankFilesById(room.pool, await endDaysNow(room));
      return { status: 200, body: { items: files.map(fileView) } };
    }),
  );
}

function entriesRoute(app: FastifyInstance, { room, idempotency }: BankRoutesOptions): void {
  app.post(
    '/v1/sandbox/bank/entries',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Let the simulated bank book something',
        description: 'Such as a fee, or a payment of the house with another amount. Told by a camt.054 file.',
        body: schema.BankEntryRequest,
        response: { 201: schema.BankEntryAnswer, default: ProblemSchema },
      },
    },
    idempotent({ store: idempotency }, async (request) => {
      const entry = await bookAsked(room, sourceOf(request), request.body as schema.BankEntryRequest);
      return { status: 201, body: entryView(entry) };
    }),
  );
}

function returnRoute(app: FastifyInstance, { room, idempotency }: BankRoutesOptions): void {
  app.post<{ Params: { depositId: string } }>(
    '/v1/sandbox/deposits/:depositId/return',
    {
      config: { access },
      schema: {
        tags,
        summary: "Let the remitter's bank take a deposit back",
        description: 'A deposit comes back once, as a debit in a camt.054 file.',
        params: schema.DepositReturnParams,
        body: schema.DepositReturn,
        response: { 201: schema.BankEntryAnswer, default: ProblemSchema },
      },
      preValidation: async (request) => {
        request.body ??= {};
      },
    },
    idempotent({ store: idempotency }, async (request) => {
      const { depositId } = request.params as { depositId: string };
      const { reason } = request.body as schema.DepositReturn;
      const entry = await returnDeposit(room, parseTypeId('dep', depositId), reason ?? 'FOCR');
      return { status: 201, body: entryView(entry) };
    }),
  );
}

function fileView(row: ListedFile): schema.BankFileAnswer {
  return {
    fileId: typeId('sbf', row.id),
    kind: row.kind,
    name: row.name,
    entries: row.entries,
    sizeBytes: row.size_bytes,
    sha256: row.sha256,
    createdAt: isoInstant(row.created_at),
    toldAt: row.told_at === null ? null : isoInstant(row.told_at),
  };
}

function entryView(entry: BookedEntry): schema.BankEntryAnswer {
  const { account, currency } = entry.account;
  return {
    bankReference: bankReferenceOf(entry.id),
    ...{ account, currency },
    direction: entry.direction,
    kind: entry.kind,
    amount: formatAmount(entry.amountMinor, knownCurrency(currency)),
    bookingDate: entry.bookingDate,
    valueDate: entry.valueDate,
  };
}
