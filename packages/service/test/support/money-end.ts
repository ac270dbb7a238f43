import assert from 'node:assert/strict';
import { backOf, debitFor, debitsOf, depositsOfStory, moneyBack, type Order, obey } from './money-steps.ts';
import {
  act,
  CURRENCIES,
  type Currency,
  get,
  importAgain,
  type Movement,
  minorOf,
  move,
  payOut,
  state,
  sweep,
  type World,
} from './money-world.ts';

/** How a story ends: the bank lists what it has moved, and people decide what is left open by what the exceptions suggest. */

const ROUNDS = 12;

interface Shown {
  readonly exceptionId: string;
  readonly type: string;
  readonly reason: string;
  readonly entryId: string | null;
  readonly transactionId: string | null;
  readonly orders: readonly Order[];
}

/** The order in which somebody tries what an exception suggests. */
const FIRST = [
  ...[
    'replace_top_up',
    'never_booked',
    'release',
    'refund_excess',
    'book',
    'unmatch',
    'return',
    'retry',
    'same',
    'another',
  ],
  ...['paid', 'failed', 'cancel', 'retry_payout', 'retry_refund', 'resolve'],
];
const place = ({ order }: Order) => FIRST.indexOf(order);

export async function endStory(world: World): Promise<void> {
  for (let round = 0; ; round++) {
    world.log.push(`## round ${round}`);
    for (const file of world.files) if (file.isWithdrawn && file.isStatement) await importAgain(world, file);
    for (const currency of CURRENCIES)
      if (round === 0 || isUnlisted(world, currency)) await state(world, currency);
    await sweep(world);
    const isWorked = await solveAll(world, round);
    const isPaid = await finishPayments(world);
    const isTold = await moveWhatIsBooked(world);
    const isPlaced = await placeIgnored(world);
    const isRefunded = await refundKept(world);
    if (!isWorked && !isPaid && !isTold && !isPlaced && !isRefunded) break;
    assert.ok(round < ROUNDS, 'it never ends');
  }
}

/** What somebody has set aside is somebody's in the end. */
async function placeIgnored(world: World): Promise<boolean> {
  let isDone = false;
  for (const depositId of await depositsOfStory(world)) {
    const { status } = await get(world, `deposits/${depositId}`);
    if (status !== 'ignored') continue;
    const asHouse = { as: 'house_funds', reason: 'nobody asks for it' };
    const answer = await act(world, `deposits/${depositId}/book`, asHouse);
    isDone ||= answer.status < 300;
  }
  return isDone;
}

/** What was paid too much stays with its trade when somebody has closed the exception without more; it is the customer's in the end. */
async function refundKept(world: World): Promise<boolean> {
  let isDone = false;
  for (const depositId of await depositsOfStory(world)) {
    const { exception, allocations } = await get(world, `deposits/${depositId}`);
    if (exception !== null) continue;
    for (const { transactionId, excessAmount } of allocations) {
      if (transactionId === null || !/[1-9]/.test(excessAmount)) continue;
      const answer = await act(world, `transactions/${transactionId}/refund-excess`);
      isDone ||= answer.status < 300;
    }
  }
  return isDone;
}

const isUnlisted = ({ movements }: World, currency: Currency) =>
  movements.some((each) => each.isReal && !each.isListed && each.currency === currency);

async function openOnes(world: World): Promise<Shown[]> {
  const { items } = await get(world, 'exceptions?status=open&limit=100');
  const shown: Shown[] = [];
  for (const { exceptionId } of items) shown.push(await get(world, `exceptions/${exceptionId}`));
  return shown;
}

async function solveAll(world: World, round: number): Promise<boolean> {
  const open = await openOnes(world);
  let isDone = false;
  for (const { exceptionId } of open) {
    const shown: Shown = await get(world, `exceptions/${exceptionId}`);
    if (shown.orders.length === 0) continue;
    world.log.push(`exception ${exceptionId} ${shown.type} ${shown.reason} ${shown.entryId}`);
    const isSolved = await solve(world, shown, round);
    isDone ||= isSolved;
    await sweep(world);
  }
  assert.ok(isDone || open.length === 0, `no way out: ${JSON.stringify(await openOnes(world))}`);
  return open.length > 0;
}

async function solve(world: World, shown: Shown, round: number): Promise<boolean> {
  if (shown.type === 'payout_mismatch' && (await matchWhatIsOpen(world, shown))) return true;
  const orders = shown.orders.filter((each) => place(each) >= 0).sort((a, b) => place(a) - place(b));
  // To be told so again changes nothing as long as the balance does not cover it.
  if (shown.type === 'returned' && round > 0) orders.reverse();
  for (const order of orders) {
    if (order.order === 'never_booked' && shown.entryId !== null) {
      if (await solveEntry(world, shown.entryId)) return true;
    } else if ((await obey(world, order, round)).status < 300) return true;
  }
  return false;
}

/** What people have reported as paid is told at last, under what an earlier attempt was called. */
async function matchWhatIsOpen(world: World, { transactionId, entryId }: Shown): Promise<boolean> {
  if (transactionId === null || entryId === null) return false;
  const items: Item[] = (await get(world, 'ledger/bank-reconciliation/items?limit=100')).items;
  const open = items.find((each) => each.kind === 'payment_not_told' && each.transactionId === transactionId);
  const { direction, amount } = await get(world, `statement-entries/${entryId}`);
  if (open === undefined || direction !== 'debit' || amount !== open.amount) return false;
  const purpose = open.currency === 'USD' ? 'refund' : 'payout';
  const told = { transactionId, purpose, reason: 'it is this one' };
  return (await act(world, `statement-entries/${entryId}/match`, told)).status < 300;
}

async function solveEntry(world: World, entryId: string): Promise<boolean> {
  const order = { order: 'never_booked', path: `/v1/operator/statement-entries/${entryId}/never-booked` };
  let first: string[] = [];
  const isSaid = async () => {
    for (const body of [{}, { as: 'bank_charges' }]) {
      const answer = await obey(world, { ...order, body }, 0);
      if (answer.status < 300) return true;
      first = answer.body.entryIds ?? [];
    }
    return false;
  };
  if (await isSaid()) return true;
  for (const other of first) if (await solveEntry(world, other)) return true;
  if (first.length > 0) return false;
  // What has never come does not go back.
  if (await cancelReturns(world, entryId)) return isSaid();
  return reportTruth(world, entryId);
}

/** What is true of a payment of which the bank only said that it had moved. */
async function reportTruth(world: World, entryId: string): Promise<boolean> {
  const { direction, transactions } = await get(world, `statement-entries/${entryId}`);
  let isDone = false;
  for (const { transactionId: id, purpose } of transactions) {
    const verbs: readonly string[] = (direction === 'debit' ? FAILED[purpose] : PAID[purpose]) ?? [];
    const path =
      purpose === 'withdrawal'
        ? `withdrawals/${id}`
        : purpose === 'deposit_return'
          ? `deposits/${await depositOfReturn(world, id)}/returns/${id}`
          : `transactions/${id}`;
    for (const verb of verbs) {
      const body = purpose === 'deposit_return' ? { reason: 'it is true' } : {};
      const { status } = await act(world, `${path}/${verb}`, body);
      isDone ||= status < 300;
    }
  }
  return isDone;
}

async function cancelReturns(world: World, entryId: string): Promise<boolean> {
  const { depositId } = await get(world, `statement-entries/${entryId}`);
  if (depositId === null) return false;
  const { returns } = await get(world, `deposits/${depositId}`);
  let isDone = false;
  for (const { returnId, status } of returns) {
    if (status !== 'pending') continue;
    const path = `deposits/${depositId}/returns/${returnId}/cancel`;
    const answer = await act(world, path, { reason: 'it never came' });
    isDone ||= answer.status < 300;
  }
  return isDone;
}

const FAILED: Readonly<Record<string, readonly string[]>> = {
  payout: ['payout-failed'],
  refund: ['refund-failed'],
  withdrawal: ['failed'],
  deposit_return: ['failed'],
};
const PAID: Readonly<Record<string, readonly string[]>> = {
  payout: ['retry-payout', 'payout-confirmed'],
  refund: ['retry-refund', 'refund-paid'],
};

async function depositOfReturn(world: World, returnId: string): Promise<string> {
  for (const depositId of await depositsOfStory(world)) {
    const { returns } = await get(world, `deposits/${depositId}`);
    if (returns.some((made: { returnId: string }) => made.returnId === returnId)) return depositId;
  }
  throw new Error(`no deposit of ${returnId}`);
}

/** Every trade is paid out or ends, and the bank pays what it has in a file. */
async function finishPayments(world: World): Promise<boolean> {
  let isDone = false;
  for (const { transactionId } of world.trades) {
    const { status, refund } = await get(world, `transactions/${transactionId}`);
    const verb =
      {
        funded: 'settle',
        awaiting_funds: 'unwind',
        partially_funded: 'unwind',
        overdue: 'unwind',
        settlement_failed: 'retry-payout',
      }[status as string] ??
      (['failed', 'rejected', 'returned'].includes(refund?.status) ? 'retry-refund' : undefined);
    if (verb !== undefined) {
      const answer = await act(world, `transactions/${transactionId}/${verb}`);
      isDone ||= answer.status < 300;
    }
  }
  for (const currency of CURRENCIES) {
    const isMade = await payOut(world, currency);
    isDone ||= isMade;
  }
  for (const payment of world.payments) {
    const { items } = await get(world, `settlement-runs/${payment.runId}/payments?limit=100`);
    const found = items.find((each: { endToEndId: string }) => each.endToEndId === payment.endToEndId);
    if (found.items.some((each: { state: string }) => each.state === 'sent')) {
      const isMade = debitFor(world, payment, true) !== undefined;
      isDone ||= isMade;
    }
  }
  return isDone;
}

/** Operators have reported truly what no file has told of: the bank has moved it. */
async function moveWhatIsBooked(world: World): Promise<boolean> {
  const { items } = await get(world, 'ledger/bank-reconciliation/items?limit=100');
  const isOfEntry = ({ kind }: Item) => kind === 'entry_not_in_statement';
  // What the bank has not booked changes what is open of the rest.
  const first = items.some(isOfEntry) ? items.filter(isOfEntry) : items;
  let isDone = false;
  for (const each of first) {
    const isMade = await movementOf(world, each);
    isDone ||= isMade;
  }
  return isDone;
}

interface Item {
  readonly kind: string;
  readonly currency: Currency;
  readonly amount: string;
  readonly entryId: string | null;
  readonly depositId: string | null;
  readonly transactionId: string | null;
  readonly withdrawalId: string | null;
}

const isMoved = (of: readonly Movement[]) => of.some(({ isReal }) => isReal);

async function movementOf(world: World, item: Item): Promise<boolean> {
  const { kind, currency, amount } = item;
  const minor = minorOf(amount.replace('-', ''));
  const told = { isReal: true, isOther: false };
  world.log.push(`item ${JSON.stringify(item)}`);
  const payments = world.payments.filter(
    (each) => each.currency === currency && minorOf(each.amount) === minor,
  );
  // Somebody has closed its exception, and it stands open all the same.
  if (kind === 'entry_not_in_statement') return solveEntry(world, item.entryId ?? '');
  if (kind === 'payment_not_told') {
    const payment = payments.find((each) => !isMoved(debitsOf(world, each)));
    if (payment !== undefined) return debitFor(world, payment, true) !== undefined;
    return byHand(world, item, await referenceOf(world, item));
  }
  if (kind === 'payment_return_not_told') {
    const debits = payments.flatMap((each) => debitsOf(world, each)).filter(({ isReal }) => isReal);
    const debit = debits.find((each) => !isMoved(backOf(world, each)));
    if (debit !== undefined) moneyBack(world, debit, told);
    return debit !== undefined;
  }
  if (kind === 'top_up_not_told') return tellTopUp(world, minor);
  if (kind === 'deposit_return_not_told') {
    const payment = payments.find((each) => !isMoved(debitsOf(world, each)));
    const { bankReference, returns } = await get(world, `deposits/${item.depositId}`);
    const paid = returns.find(
      (each: { status: string; amount: string; runId: string | null }) =>
        each.status === 'paid' && minorOf(each.amount) === minor,
    );
    if (paid !== undefined && payment !== undefined) return debitFor(world, payment, true) !== undefined;
    if (paid !== undefined) return byHand(world, item, paid.reference);
    const credit = world.movements.find(({ id }) => id === bankReference);
    if (credit === undefined || !credit.isReal || isMoved(backOf(world, credit))) return false;
    moneyBack(world, credit, told);
    return true;
  }
  return false;
}

async function referenceOf(world: World, { withdrawalId, transactionId, currency }: Item): Promise<string> {
  if (withdrawalId !== null) return (await get(world, `withdrawals/${withdrawalId}`)).reference;
  const { reference } = await get(world, `transactions/${transactionId}`);
  return currency === 'USD' ? `${reference}-R` : reference;
}

/** What people have paid without a file, by its reference. */
function byHand(world: World, { currency, amount }: Item, endToEndId: string): boolean {
  if (world.movements.some(({ isReal, payment }) => isReal && payment?.endToEndId === endToEndId))
    return false;
  const payment = { runId: '', currency, endToEndId, uetr: '', amount: amount.replace('-', '') };
  debitFor(world, payment, true);
  return true;
}

/** What a person has topped up by hand is there, and the bank tells of it at last, as the bank calls it. */
function tellTopUp(world: World, minor: bigint): boolean {
  const topUp = world.topUps.find((each) => each.minor === minor);
  assert.ok(topUp, 'somebody has booked it');
  const called = { currency: 'USD', isCredit: true, isReal: true, refs: '', text: 'NO WORD' } as const;
  world.topUps.splice(world.topUps.indexOf(topUp), 1);
  move(world, { ...called, minor, id: topUp.reference });
  return true;
}
