import assert from 'node:assert/strict';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import { type CamtEntry, camt, txDtls } from '../../../bank-formats/src/test-support.ts';
import { entrySweep } from '../../src/bank-statements/book-entries.ts';
import { DEFAULT_SETTINGS } from '../../src/customers/profile.ts';
import type { Pool } from '../../src/database/pool.ts';
import { failedReturnsSweep } from '../../src/deposits/operate-return.ts';
import { rematchSweep, rematchUntouchedSweep } from '../../src/deposits/rematch-deposits.ts';
import { blockedPaymentSweep } from '../../src/exceptions/blocked-payments.ts';
import { shortPaymentSweep } from '../../src/exceptions/short-payments.ts';
import { typeId } from '../../src/platform/ids.ts';
import { euros } from './bank-story.ts';
import { approved, createOperatedSandbox, type OperatorServer, type Reply } from './operator-server.ts';
import { type Sandbox, silentLogger } from './sandbox.ts';
import { createDesk, type Desk } from './trading.ts';

/**
 * A small world and its bank: one customer who pays for trades, one with a balance, and a bank that moves money, tells of it in
 * notifications, also of money that it never moves, and lists in the statements of the day what it has moved.
 */

export type Currency = 'USD' | 'EUR';
export const CURRENCIES = ['USD', 'EUR'] as const;

/** Money that the bank has moved, or only said so. */
export interface Movement {
  readonly id: string;
  readonly currency: Currency;
  readonly isCredit: boolean;
  readonly minor: bigint;
  readonly refs: string;
  readonly text: string;
  /** Names the bank's reason why money goes back. */
  readonly reason?: string;
  /** The payment of the house that it is, or gives back. */
  readonly payment?: Payment;
  /** The movement that it takes back. */
  readonly of?: Movement;
  /** Whether statements list it. */
  isReal: boolean;
  isNotified: boolean;
  isListed: boolean;
  /** What the bank says that it was ordered in, with others. */
  block?: string;
}

/** A payment in a file that the bank has. */
export interface Payment {
  readonly runId: string;
  readonly currency: Currency;
  readonly endToEndId: string;
  readonly uetr: string;
  readonly amount: string;
}

export interface BankFile {
  fileId: string;
  readonly content: (created: string) => string;
  readonly isStatement: boolean;
  isWithdrawn: boolean;
}

/** A database with its bank, in which one story after the other ends. */
export interface Ground {
  readonly pool: Pool;
  readonly server: OperatorServer;
  readonly sandbox: Sandbox;
  readonly closing: Record<Currency, bigint>;
  /** Of the last statement. */
  readonly numbers: Record<Currency, number>;
  readonly counter: { count: number };
}

export interface World extends Ground {
  readonly payer: Desk;
  readonly holder: Desk;
  readonly topUpReference: string;
  readonly trades: { readonly transactionId: string; readonly reference: string; readonly sell: bigint }[];
  readonly movements: Movement[];
  readonly payments: Payment[];
  /** What a person has topped the balance up with by hand, under the reference of a movement or not. */
  readonly topUps: { readonly reference: string; readonly minor: bigint }[];
  readonly files: BankFile[];
  /** What was done and answered, for whoever looks into a failure. */
  readonly log: string[];
}

const DAY = '2026-03-04';
export const VALUE_DATE = '2026-03-06';

export async function createGround(): Promise<Ground> {
  const made = await createOperatedSandbox();
  return { ...made, closing: { USD: 0n, EUR: 0n }, numbers: { USD: 0, EUR: 0 }, counter: { count: 0 } };
}

export async function createWorld(ground: Ground): Promise<World> {
  const { pool, server, sandbox } = ground;
  const payer = await createDesk(pool, { clock: sandbox.clock });
  const holder = await createDesk(pool, { clock: sandbox.clock });
  holder.change({ settings: { ...DEFAULT_SETTINGS, fundingMode: 'pre_funded' } });
  const balances = await server.call(
    'GET',
    `/v1/operator/customers/${typeId('cus', holder.customerId)}/balances`,
  );
  const world: World = {
    ...{ ...ground, payer, holder, topUpReference: balances.body.topUpReference },
    ...{ trades: [], movements: [], payments: [], topUps: [], files: [], log: [] },
  };
  for (const amount of ['1000.00', '400.00']) await newTrade(world, payer, amount);
  return world;
}

/** A trade of dollars into euros; refused where a balance does not cover it. */
export async function newTrade(world: World, desk: Desk, amount: string): Promise<void> {
  const made = await desk
    .quote({ amount })
    .then((quote) => desk.execute(quote))
    .catch((error: unknown) => {
      world.log.push(`trade of ${amount}: ${error}`);
      return undefined;
    });
  if (made === undefined) return;
  const transactionId = typeId('txn', made.id);
  world.log.push(`trade ${transactionId} of ${amount}`);
  world.trades.push({ transactionId, reference: made.reference, sell: BigInt(made.sell_minor) });
}

export async function get(world: World, path: string) {
  const { status, body } = await world.server.call(
    'GET',
    path.startsWith('/') ? path : `/v1/operator/${path}`,
  );
  assert.equal(status, 200, `${path} ${JSON.stringify(body)}`);
  return body;
}

/** A command, by a second person too where it takes one. It may be refused, and never fails. */
export async function act(world: World, path: string, body: object = {}): Promise<Reply> {
  const url = path.startsWith('/') ? path : `/v1/operator/${path}`;
  const asked = await world.server.call('POST', url, body, {
    'idempotency-key': `K${++world.counter.count}`,
  });
  const reply = await approved(world.server, asked);
  const { code, detail } = reply.body ?? {};
  world.log.push(
    `${url.replace('/v1/operator/', '')} ${JSON.stringify(body)} → ${reply.status} ${reply.status < 300 ? '' : `${code}: ${detail}`}`,
  );
  assert.ok(reply.status < 500 && reply.status !== 404, world.log.at(-1));
  return reply;
}

export function move(
  world: World,
  made: Omit<Movement, 'id' | 'isNotified' | 'isListed'> & { readonly id?: string },
): Movement {
  const movement = { id: `M${++world.counter.count}`, isNotified: false, isListed: false, ...made };
  world.movements.push(movement);
  const { id, currency, isCredit, minor, text, refs, isReal } = movement;
  world.log.push(`${id} ${currency} ${isCredit ? '+' : '-'}${minor} ${isReal} ${text} ${refs}`);
  return movement;
}

function details(
  { id, refs, text, reason, currency, minor, isCredit, block }: Movement,
  isInBatch = false,
): string {
  const after = reason === undefined ? '' : `<RtrInf><Rsn><Cd>${reason}</Cd></Rsn></RtrInf>`;
  const own = isInBatch ? `<AcctSvcrRef>${id}</AcctSvcrRef>` : '';
  const order = block === undefined ? '' : `<PmtInfId>${block}</PmtInfId>`;
  const party = `<Nm>Payer Ltd</Nm>`;
  const parties = isCredit
    ? `<Dbtr><Pty>${party}</Pty></Dbtr><DbtrAcct><Id><IBAN>DE02120300000000202051</IBAN></Id></DbtrAcct>`
    : '';
  const amount = isInBatch
    ? `<Amt Ccy="${currency}">${euros(minor)}</Amt><CdtDbtInd>${isCredit ? 'CRDT' : 'DBIT'}</CdtDbtInd>`
    : '';
  return txDtls(text, { refs: `${own}${order}${refs}`, amount, parties, after });
}

function entryOf(movement: Movement): CamtEntry {
  const { id, currency, isCredit, minor } = movement;
  return {
    ...{ amount: euros(minor), currency, reference: id, direction: isCredit ? 'CRDT' : 'DBIT' },
    details: [details(movement)],
  };
}

/** Several as one sum, with their payments or without. */
function sumOf(of: readonly Movement[], hasParts: boolean): CamtEntry {
  const [first] = of;
  assert.ok(first);
  const sum = of.reduce((total, { minor }) => total + minor, 0n);
  const whole = first.block === undefined ? txDtls(' ') : `<Btch><PmtInfId>${first.block}</PmtInfId></Btch>`;
  const parts = hasParts ? of.map((each) => details(each, true)) : [whole];
  return {
    ...{ amount: euros(sum), currency: first.currency, direction: first.isCredit ? 'CRDT' : 'DBIT' },
    ...{ reference: `SUM-${first.id}`, details: parts },
  };
}

async function upload(world: World, content: BankFile['content'], isStatement: boolean): Promise<void> {
  const { body, status } = await world.server.upload(content(createdAt(world)));
  assert.equal(status, 201, JSON.stringify(body));
  assert.equal(body.status, 'accepted', JSON.stringify(body));
  world.files.push({ fileId: body.fileId, content, isStatement, isWithdrawn: false });
  world.log.push(`${isStatement ? 'statement' : 'notice'} ${body.fileId}`);
  await sweep(world);
}

const createdAt = (world: World) =>
  new Date(Date.UTC(2026, 2, 4, 15, 0, ++world.counter.count)).toISOString();

export async function notify(
  world: World,
  movements: readonly Movement[],
  { isSum = false, isOrder = false } = {},
): Promise<void> {
  const [first] = movements;
  if (first === undefined) return;
  if (isOrder) for (const each of movements) each.block = `ORDER-${first.id}`;
  const entries = isSum ? [sumOf(movements, false)] : movements.map(entryOf);
  for (const each of movements) each.isNotified = true;
  world.log.push(
    `told ${isSum ? 'as a sum ' : ''}${isOrder ? 'with what they were ordered in ' : ''}of ${movements.map(({ id }) => id)}`,
  );
  const options = { message: '054', currency: first.currency, date: DAY } as const;
  await upload(world, (created) => camt(entries, { ...options, created }), false);
}

/** The next statement of the day has what the bank has moved since the last one. */
export async function state(world: World, currency: Currency, isBatch = false): Promise<void> {
  const listed = world.movements.filter(
    (each) => each.isReal && !each.isListed && each.currency === currency,
  );
  const opening = world.closing[currency];
  for (const each of listed) {
    each.isListed = true;
    world.closing[currency] += each.isCredit ? each.minor : -each.minor;
  }
  const closing = world.closing[currency];
  const number = String(++world.numbers[currency]);
  const groups = [true, false].map((isCredit) => listed.filter((each) => each.isCredit === isCredit));
  const entries = groups.flatMap((each) =>
    isBatch && each.length > 1 ? [sumOf(each, true)] : each.map(entryOf),
  );
  world.log.push(`listed ${currency} ${listed.map(({ id }) => id)}${isBatch ? ' in batches' : ''}`);
  const options = { currency, date: DAY, number, opening: written(opening), closing: written(closing) };
  await upload(world, (created) => camt(entries, { ...options, created }), true);
}

const written = (minor: bigint) => (minor < 0n ? `-${euros(-minor)}` : euros(minor));

export async function withdrawFile(world: World, file: BankFile): Promise<void> {
  const { status } = await act(world, `statements/${file.fileId}/withdraw`, { reason: 'wrong' });
  if (status < 300) file.isWithdrawn = true;
  await sweep(world);
}

/** The same once more, as the bank makes it anew. */
export async function importAgain(world: World, file: BankFile): Promise<void> {
  const { body, status } = await world.server.upload(file.content(createdAt(world)));
  assert.equal(status, 201, JSON.stringify(body));
  world.log.push(`again ${body.fileId} for ${file.fileId}`);
  file.fileId = body.fileId;
  file.isWithdrawn = false;
  await sweep(world);
}

/** Pays what is due in a currency, and gives the bank the file. */
export async function payOut(world: World, currency: Currency): Promise<boolean> {
  const { status, body } = await act(world, 'settlement-runs', { currency, valueDate: VALUE_DATE });
  if (status !== 201) return false;
  await act(world, `settlement-runs/${body.runId}/mark-sent`);
  const { items } = await get(world, `settlement-runs/${body.runId}/payments?limit=100`);
  for (const { endToEndId, uetr, amount } of items) {
    world.log.push(`payment ${endToEndId} ${amount} ${currency}`);
    world.payments.push({ runId: body.runId, currency, endToEndId, uetr, amount });
  }
  return true;
}

export const minorOf = (amount: string) => BigInt(amount.replace('.', ''));
export const amountOf = (minor: bigint, currency: Currency) => formatAmount(minor, knownCurrency(currency));

/** What time brings. */
export async function sweep({ sandbox: { desk } }: World): Promise<void> {
  const sweeps = [
    entrySweep(desk, silentLogger),
    rematchSweep(desk, silentLogger),
    failedReturnsSweep(desk, silentLogger),
    rematchUntouchedSweep(desk, silentLogger),
    shortPaymentSweep(desk),
    blockedPaymentSweep(desk),
  ];
  for (const each of sweeps) await each.run();
}
