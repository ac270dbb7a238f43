import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { type CamtEntry, camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { assertBankAgrees } from '../../test/support/bank-agrees.ts';
import { entriesOf, importedOnly, reportedFile, type ShownEntry } from '../../test/support/bank-story.ts';
import { assertBooksBalance } from '../../test/support/books.ts';
import { createOperatedSandbox, type OperatorServer } from '../../test/support/operator-server.ts';
import type { Sandbox } from '../../test/support/sandbox.ts';
import type { Pool } from '../database/pool.ts';
import { typeId } from '../platform/ids.ts';

let pool: Pool;
let server: OperatorServer;
let sandbox: Sandbox;

before(async () => {
  ({ pool, server, sandbox } = await createOperatedSandbox());
});
after(() => server.close());

/** What the bank has of a payment, and what its messages say of it. */
const payment = fc.record({
  amount: fc.constantFrom(1000n, 2000n),
  day: fc.nat({ max: 2 }),
  /** The bank's reference: none, one of its own, or one that begins anew each day. */
  reference: fc.constantFrom('none', 'own', 'daily'),
  hasEndToEndId: fc.boolean(),
  hasUetr: fc.boolean(),
  text: fc.constantFrom('RENT', 'RENT MARCH', 'INVOICE 7'),
  party: fc.constantFrom('Acme Ltd', 'Beta GmbH'),
  /** Notices, each with the words or without, in a file of its own. */
  notices: fc.array(fc.boolean(), { maxLength: 2 }),
  /** Whether the statement has it in a batch with others of its day. */
  inBatch: fc.boolean(),
});
const story = fc.record({
  payments: fc.array(payment, { minLength: 1, maxLength: 7 }),
  /** Days whose statement comes in two that chain, and those whose statement comes twice. */
  isSplit: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  isDoubled: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  /** Days on which a notice tells the sum of a batch, without its payments. */
  hasSum: fc.array(fc.boolean(), { minLength: 3, maxLength: 3 }),
  /** Whether a file is applied before the next one comes; the last one is. */
  isApplied: fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }),
  /** Keys by which the files are ordered. */
  order: fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
});
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;
type Payment = Story['payments'][number] & { readonly id: number; readonly daily: number };

let ids = 0;
let runs = 0;
let balance = 0n;

const text = (minor: bigint) =>
  minor
    .toString()
    .padStart(3, '0')
    .replace(/(\d\d)$/, '.$1');
const dateOf = (run: number, day: number) =>
  new Date(Date.UTC(2025, 6, 1 + run * 6 + day)).toISOString().slice(0, 10);
const referenceOf = ({ reference, id, daily }: Payment) =>
  reference === 'none' ? undefined : reference === 'own' ? `OWN${id}` : `DAILY${daily}`;

function refsOf(each: Payment): string {
  const uetr = `<UETR>${String(each.id).padStart(8, '0')}-7a4b-4d0f-9f4e-1a2b3c4d5e6f</UETR>`;
  return `${each.hasEndToEndId ? `<EndToEndId>E2E${each.id}</EndToEndId>` : ''}${each.hasUetr ? uetr : ''}`;
}

function single(each: Payment, hasWords = true): CamtEntry {
  const parties = `<Dbtr><Pty><Nm>${each.party}</Nm></Pty></Dbtr>`;
  const reference = referenceOf(each);
  const words = hasWords ? { parties } : {};
  const details = [txDtls(hasWords ? each.text : ' ', { refs: refsOf(each), ...words })];
  return {
    amount: text(each.amount),
    currency: 'USD',
    details,
    ...(reference === undefined ? {} : { reference }),
  };
}

function batch(several: readonly Payment[]): CamtEntry {
  const details = several.map((each) => {
    const reference = referenceOf(each);
    const own = reference === undefined ? '' : `<AcctSvcrRef>${reference}</AcctSvcrRef>`;
    const amount = `<Amt Ccy="USD">${text(each.amount)}</Amt><CdtDbtInd>CRDT</CdtDbtInd>`;
    const parties = `<Dbtr><Pty><Nm>${each.party}</Nm></Pty></Dbtr>`;
    return txDtls(each.text, { refs: `${own}${refsOf(each)}`, amount, parties });
  });
  const sum = several.reduce((total, each) => total + each.amount, 0n);
  return { amount: text(sum), currency: 'USD', reference: `BATCH${several[0]?.id}`, details };
}

interface File {
  readonly content: string;
  /** A statement that is no repetition: what it lists is money. */
  readonly isFirst: boolean;
}

/** Files of three days, in which every payment is listed by exactly one statement, apart from repetitions. */
function filesOf({ payments, isSplit, isDoubled, hasSum }: Story, run: number): File[] {
  const counts = [0, 0, 0];
  const known = payments.map((each): Payment => {
    counts[each.day] = (counts[each.day] ?? 0) + 1;
    return { ...each, id: ++ids, daily: counts[each.day] ?? 0 };
  });
  const files: File[] = [];
  let seconds = 0;
  const created = () => new Date(Date.UTC(2026, 0, 1, 0, 0, ++seconds)).toISOString();
  for (const each of known) {
    for (const hasWords of each.notices) {
      const options = {
        message: '054',
        currency: 'USD',
        date: dateOf(run, each.day),
        created: created(),
      } as const;
      files.push({ content: camt([single(each, hasWords)], options), isFirst: false });
    }
  }
  for (const day of [0, 1, 2]) {
    const of = known.filter((each) => each.day === day);
    const half = isSplit[day] ? Math.ceil(of.length / 2) : of.length;
    for (const part of [of.slice(0, half), of.slice(half)]) {
      if (part.length === 0) continue;
      const together = part.filter((each) => each.inBatch);
      const alone = part.filter((each) => !each.inBatch).map((each) => single(each));
      const entries = together.length > 1 ? [batch(together), ...alone] : part.map((each) => single(each));
      if (together.length > 1 && hasSum[day]) {
        const { details: _, ...sum } = batch(together);
        const bare = { ...sum, details: [txDtls(' ')] };
        const notice = {
          message: '054',
          currency: 'USD',
          date: dateOf(run, day),
          created: created(),
        } as const;
        files.push({ content: camt([bare], notice), isFirst: false });
      }
      const opening = balance;
      balance += part.reduce((total, each) => total + each.amount, 0n);
      const options = {
        currency: 'USD',
        date: dateOf(run, day),
        opening: text(opening),
        closing: text(balance),
      };
      files.push({ content: camt(entries, { ...options, created: created() }), isFirst: true });
      if (isDoubled[day])
        files.push({ content: camt(entries, { ...options, created: created() }), isFirst: false });
    }
  }
  return files;
}

test('each payment that statements list is booked once or is an exception, whatever reported it in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (reported) => {
      const files = filesOf(reported, runs++);
      const order = files.map((file, index) => ({ file, key: reported.order[index % 60] ?? 0, index }));
      order.sort((a, b) => a.key - b.key || a.index - b.index);
      const listed: string[] = [];
      for (const [place, { file }] of order.entries()) {
        const isApplied = reported.isApplied[place % 60] || place === order.length - 1;
        const fileId = isApplied
          ? await reportedFile(server, file.content)
          : typeId('stf', await importedOnly({ pool, clock: sandbox.desk.clock }, file.content));
        if (file.isFirst) listed.push(fileId);
      }
      const lines: ShownEntry[] = [];
      for (const fileId of listed) lines.push(...(await entriesOf(server, fileId)));
      assert.equal(lines.length, reported.payments.length);
      const carriers = lines.map((each) => each.sameAs ?? each.entryId);
      assert.equal(new Set(carriers).size, lines.length, 'no two payments are taken for one');
      for (const each of lines) {
        const isQuestion = each.paymentState === 'mismatch' && each.exceptionId !== null;
        assert.ok(each.depositState === 'booked' || isQuestion, `${each.depositState} ${each.paymentState}`);
      }
      // What notifications alone have reported is in no balance, and named.
      await assertBankAgrees(pool);
      await assertBooksBalance(pool);
    }),
    { numRuns: 12 },
  );
});
