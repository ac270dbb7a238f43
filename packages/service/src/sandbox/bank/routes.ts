import * as api from '@firmquote/api/operations/sandbox';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import { type BookedEntry, bankReferenceOf } from '@firmquote/sandbox-bank';
import type { FastifyInstance } from 'fastify';
import { serve } from '../../http/serve.ts';
import { isoInstant } from '../../platform/clock.ts';
import { typeId } from '../../platform/ids.ts';
import { Problem } from '../../problems/problem.ts';
import { bookAsked, returnDeposit } from './ask-bank.ts';
import { accountBalances } from './books-store.ts';
import type { BankRoom } from './deliver-files.ts';
import { endDaysNow } from './end-day.ts';
import { bankFilesById, findBankFile, type ListedFile, listBankFiles } from './file-store.ts';
import { sourceOf } from './source.ts';

/** The simulated bank as its customer, the house, sees it. */
export function bankRoutes(app: FastifyInstance, room: BankRoom): void {
  const { pool } = room;
  serve(app, api.listSandboxBankAccounts, async () => {
    const items = (await accountBalances(pool)).map((each) => ({
      account: each.account,
      currency: each.currency,
      holder: each.holder,
      balance: formatAmount(each.balanceMinor, knownCurrency(each.currency)),
      statements: each.statements,
      lastStatementDate: each.lastStatementDay,
    }));
    return { body: { items } };
  });
  serve(app, api.listSandboxBankFiles, async ({ query: { kind }, page }) => {
    const rows = await listBankFiles(pool, kind, page.place('integer')?.[0], page.rows);
    return { body: page.of(rows, (row) => [row.sequence], fileView) };
  });
  serve(app, api.downloadSandboxBankFile, async ({ params }) => {
    const file = await findBankFile(pool, params.fileId);
    if (file === undefined)
      throw new Problem('statement_file_not_found', 'There is no statement file with this id.');
    const headers = {
      'Content-Type': 'application/xml',
      'Content-Disposition': `attachment; filename="${file.name}"`,
      'X-Content-Type-Options': 'nosniff',
    };
    return { headers, body: file.content };
  });
  serve(app, api.endSandboxBankDay, async () => {
    const files = await bankFilesById(pool, await endDaysNow(room));
    return { body: { items: files.map(fileView) } };
  });
  serve(app, api.bookSandboxBankEntry, async ({ request, body, key, by }) => ({
    body: entryView(await bookAsked(room, sourceOf(key, by, request.receivedAt), body)),
  }));
  serve(app, api.returnSandboxDeposit, async ({ params: { depositId }, body: { reason = 'FOCR' } }) => ({
    body: entryView(await returnDeposit(room, depositId, reason)),
  }));
}

function fileView(row: ListedFile): api.BankFile {
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

function entryView(entry: BookedEntry): api.BankEntry {
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
