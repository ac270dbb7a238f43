import { type NamedWithdrawal, withdrawalsNamed } from '../balances/change-withdrawal.ts';
import type { Queryable } from '../database/pool.ts';
import { HOUSE_ID } from '../ledger/journal.ts';
import { type NamedReturn, returnsNamed } from './deposit-returns.ts';
import {
  type FoundBlock,
  type FoundPayment,
  findBlocks,
  findPayments,
  type NamedTransaction,
  type PaymentTarget,
  type SaidStatus,
  tradesByReference,
} from './payment-report-store.ts';
import { minorOf, refundOf } from './refund-changes.ts';

/** By what a bank's message names a payment of ours. */
export interface PaymentIdentifiers {
  readonly endToEndId?: string | undefined;
  /** What else may be the EndToEndId, for banks that put it elsewhere. */
  readonly otherIds?: readonly string[] | undefined;
  readonly uetr?: string | undefined;
  /** One of our files (MsgId), or a block of payments in it (PmtInfId), which a bank may book as one sum. */
  readonly blockId?: string | undefined;
  /** The file or the block that it says the payment was ordered in: what was made again is called the same. */
  readonly orderedIn?: string | undefined;
  /** References of transactions and withdrawals found anywhere, for banks that do not hand on what they were given. */
  readonly references?: readonly string[] | undefined;
  /** What it is about, where that is known already. */
  readonly targets?: readonly PaymentTarget[] | undefined;
  /** What it is about if nothing else says so: that of an earlier entry which it refers to. */
  readonly fallback?: readonly PaymentTarget[] | undefined;
  /** Undefined where the message gives none, as status reports may. */
  readonly amountMinor?: bigint | undefined;
  readonly currency?: string | undefined;
}

/** What identifiers lead to. A block may be paid in part: what is left of it is known only once it is looked at. */
export interface FoundTargets {
  readonly via: 'payment' | 'block' | 'reference';
  readonly paymentId: string | undefined;
  readonly currency: string | undefined;
  readonly items: readonly PaymentTarget[];
  /** Several payments are meant equally well. */
  readonly isAmbiguous?: boolean;
  /** It was in a run that was cancelled: what it is for may be in another one, or due again. */
  readonly isCancelled?: boolean;
  /** What was said last of the payments of a block. */
  readonly said?: readonly SaidStatus[];
}

/**
 * What each message is about: the payment with its UETR, else with its EndToEndId, else what it names by reference with
 * the exact amount, else the block of a payment file.
 * @returns one for each, undefined for what is none of ours
 */
export async function findTargets(
  connection: Queryable,
  identifiers: readonly PaymentIdentifiers[],
): Promise<(FoundTargets | undefined)[]> {
  const open = identifiers.filter((each) => each.targets === undefined);
  const payments = await findPayments(
    connection,
    open.flatMap((each) => each.uetr ?? []),
    open.flatMap((each) => [
      ...(each.endToEndId === undefined ? [] : [each.endToEndId]),
      ...(each.otherIds ?? []),
    ]),
  );
  const blocks = await findBlocks(
    connection,
    open.flatMap((each) => each.blockId ?? []),
  );
  const references = [...new Set(open.flatMap(referencesOf))];
  const named: Named = {
    trades: await tradesByReference(connection, references),
    withdrawals: await withdrawalsNamed(connection, references),
    returns: await returnsNamed(connection, references),
  };
  return identifiers.map((each) => targetsOf(each, payments, blocks, named));
}

/** What references belong to. */
interface Named {
  readonly trades: readonly NamedTransaction[];
  readonly withdrawals: readonly NamedWithdrawal[];
  readonly returns: readonly NamedReturn[];
}

function targetsOf(
  identifiers: PaymentIdentifiers,
  payments: readonly FoundPayment[],
  blocks: readonly FoundBlock[],
  all: Named,
): FoundTargets | undefined {
  if (identifiers.targets !== undefined) {
    return found('payment', undefined, undefined, identifiers.targets);
  }
  const sure = paymentOf(identifiers, payments);
  const payment =
    sure ??
    (identifiers.otherIds ?? [])
      .map((id) => byId(id, identifiers, payments))
      .find((each) => each !== undefined);
  const named = sure === undefined ? namedTargets(identifiers, all) : undefined;
  if (payment !== undefined && !(named !== undefined && isAnother(payment, named, identifiers))) {
    return { ...found('payment', payment.id, payment.currency, payment.items), isCancelled: !payment.live };
  }
  if (named !== undefined) return named;
  const block = blocks.find(({ blockId }) => blockId === identifiers.blockId);
  if (block !== undefined) {
    const { isCancelled, said } = block;
    return { ...found('block', undefined, block.currency, block.items), isCancelled, said };
  }
  return identifiers.fallback && found('payment', undefined, undefined, identifiers.fallback);
}

function found(
  via: FoundTargets['via'],
  paymentId: string | undefined,
  currency: string | undefined,
  items: readonly PaymentTarget[],
  isAmbiguous = false,
): FoundTargets {
  return { via, paymentId, currency, items, isAmbiguous };
}

function paymentOf(
  identifiers: PaymentIdentifiers,
  payments: readonly FoundPayment[],
): FoundPayment | undefined {
  const { uetr, endToEndId } = identifiers;
  const byUetr = payments.filter((each) => each.uetr === uetr?.toLowerCase());
  return (
    inItsFile(identifiers, byUetr) ??
    (endToEndId === undefined ? undefined : byId(endToEndId, identifiers, payments))
  );
}

function byId(
  id: string,
  identifiers: PaymentIdentifiers,
  payments: readonly FoundPayment[],
): FoundPayment | undefined {
  return inItsFile(
    identifiers,
    payments.filter((each) => each.endToEndId === id),
  );
}

/** Of payments that are called the same, the one in the file that is named, else the first. */
function inItsFile(
  { orderedIn }: PaymentIdentifiers,
  same: readonly FoundPayment[],
): FoundPayment | undefined {
  const messageId = orderedIn?.replace(/[SPIU]$/, '');
  return same.find((each) => each.messageId === messageId) ?? same[0];
}

/**
 * Fields of 16 characters cut off what follows the reference, and what is left is the id of the first payout. Then what is named is
 * meant: it is the amount, and the payment is not; or it is a later attempt.
 */
function isAnother(
  payment: FoundPayment,
  named: FoundTargets,
  { amountMinor = payment.amountMinor, currency = payment.currency }: PaymentIdentifiers,
): boolean {
  if (payment.amountMinor !== amountMinor || payment.currency !== currency) return true;
  const [item] = payment.items.length === 1 ? payment.items : [];
  return named.items.some(
    (each) =>
      each.subjectId === item?.subjectId && each.purpose === item.purpose && each.attempt > item.attempt,
  );
}

/** Our EndToEndIds: the reference, `-R` for a refund, and a number when it is not the first instruction. */
const OWN_ID = /^(RF\d{14})(?:-(R)?(\d*))?$/;

/** An id that begins with one of our references names the trade, whatever made it. */
function referencesOf({ endToEndId, otherIds = [], references = [] }: PaymentIdentifiers): string[] {
  const ids = [endToEndId ?? '', ...otherIds].map((id) => /^(RF\d{14})(-|$)/.exec(id)?.[1] ?? '');
  return [...new Set([...ids, ...references])].filter((each) => each !== '');
}

/** What is named: one payment that is the amount, else all payouts and withdrawals when they are it together. */
function namedTargets(identifiers: PaymentIdentifiers, all: Named): FoundTargets | undefined {
  const { amountMinor, currency, endToEndId = '' } = identifiers;
  const [, , isRefund, number] = OWN_ID.exec(endToEndId) ?? [];
  const attempt = number ? Number.parseInt(number, 10) : undefined;
  const references = new Set(referencesOf(identifiers));
  const trades = all.trades.filter(({ reference }) => references.has(reference));
  const withdrawals = [
    ...all.withdrawals.filter(({ reference }) => references.has(reference)).map(withdrawalOf),
    ...all.returns.filter(({ reference }) => references.has(reference)).map(returnOf),
  ];
  const payouts = isRefund
    ? []
    : trades.flatMap((trade) => {
        const target = payoutOf(trade, attempt);
        return target === undefined ? [] : [{ target, code: trade.buy_currency }];
      });
  // Without an amount only what says that it is a refund is one.
  const mayBeRefund = isRefund !== undefined || amountMinor !== undefined;
  const refunds = trades.flatMap((trade) => {
    const target = mayBeRefund ? refundTargetOf(trade, isRefund ? attempt : undefined) : undefined;
    return target === undefined ? [] : [{ target, code: trade.sell_currency }];
  });
  const exact = [...payouts, ...refunds, ...withdrawals].filter(
    ({ target, code }) =>
      (currency === undefined || currency === code) &&
      (amountMinor === undefined || amountMinor === target.amountMinor),
  );
  const [only] = exact;
  if (only !== undefined) {
    const items = exact.map(({ target }) => target);
    return found('reference', undefined, only.code, items, exact.length > 1);
  }
  const together = [...payouts, ...withdrawals];
  const isTogether =
    together.length > 1 &&
    together.length === trades.length + withdrawals.length &&
    together.every(({ code }) => code === currency) &&
    together.reduce((sum, { target }) => sum + target.amountMinor, 0n) === amountMinor;
  if (!isTogether) return undefined;
  const items = together.map(({ target }) => target);
  return found('reference', undefined, currency, items);
}

function withdrawalOf(row: NamedWithdrawal): { readonly target: PaymentTarget; readonly code: string } {
  const { customerId, id: subjectId, currency: code, amountMinor } = row;
  // A withdrawal is instructed once; one that fails is opened anew.
  return { target: { customerId, subjectId, purpose: 'withdrawal', attempt: 1, amountMinor }, code };
}

function returnOf(row: NamedReturn): { readonly target: PaymentTarget; readonly code: string } {
  const { id: subjectId, currency: code, amountMinor } = row;
  return {
    target: { customerId: HOUSE_ID, subjectId, purpose: 'deposit_return', attempt: 1, amountMinor },
    code,
  };
}

function payoutOf(trade: NamedTransaction, attempt: number | undefined): PaymentTarget | undefined {
  if (trade.payout_attempts === 0) return undefined;
  return {
    customerId: trade.customer_id,
    subjectId: trade.id,
    purpose: 'payout',
    attempt: attempt ?? trade.payout_attempts,
    amountMinor: BigInt(trade.buy_minor),
  };
}

function refundTargetOf(trade: NamedTransaction, attempt: number | undefined): PaymentTarget | undefined {
  const refund = refundOf(trade);
  if (refund === undefined) return undefined;
  return {
    customerId: trade.customer_id,
    subjectId: trade.id,
    purpose: 'refund',
    attempt: attempt ?? refund.attempt ?? 1,
    amountMinor: minorOf(refund),
  };
}
