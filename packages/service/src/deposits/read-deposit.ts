import { hash } from 'node:crypto';
import type { DepositSource, RecordDeposit } from '@firmquote/api/operations/deposits';
import { isIban } from '@firmquote/bank-formats';
import { type Currency, formatAmount, isIsoDate, localDateAt } from '@firmquote/fx';
import { collectionAccounts } from '../customers/collection-accounts.ts';
import type { Queryable } from '../database/pool.ts';
import { readMinor } from '../http/amounts.ts';
import { requireCurrency } from '../http/market-codes.ts';
import { parseRfc3339 } from '../http/query.ts';
import { DATE, INSTANT, POSITIVE } from '../http/sentences.ts';
import { isoInstant } from '../platform/clock.ts';
import { type Problem, validationProblem } from '../problems/problem.ts';
import { type NewDeposit, plainAccount } from './record.ts';
import { findByBankReference } from './store.ts';

/** A bank whose clock is a little ahead is believed. */
const CLOCK_TOLERANCE_MS = 5 * 60_000; // limit: How far in the future a deposit may be received

/**
 * A deposit out of a request.
 * @throws Problem validation_failed, currency_not_supported, amount_precision_invalid
 */
export async function readDeposit(
  connection: Queryable,
  body: RecordDeposit,
  source: DepositSource,
  now: number,
): Promise<NewDeposit> {
  const currency = requireCurrency(body.currency, '/currency');
  const amountMinor = readAmount(body.amount, currency);
  const receivedAt = readReceivedAt(body.receivedAt, now);
  const account =
    body.account === undefined
      ? await houseAccount(connection, currency.code)
      : await filedAccount(connection, body.account, body);
  return {
    // Without an account of its own the currency still has a place where its money is.
    account: account ?? `collection:${currency.code}`,
    bankReference: body.bankReference,
    source,
    amountMinor,
    currency: currency.code,
    remitterName: body.remitterName,
    remitterAccount: body.remitterAccount ?? null,
    virtualAccount: body.virtualAccount ?? null,
    remittanceText: [body.reference, body.remittanceText].filter((text) => text).join(' ') || null,
    valueDate: readValueDate(body.valueDate) ?? localDateAt(receivedAt, 'UTC'),
    receivedAt,
    fingerprint: contentHash(body, formatAmount(amountMinor, currency), source),
  };
}

/** Over what was reported, not over what was made of it: a repetition an hour later has the same content. */
function contentHash(body: RecordDeposit, amount: string, source: DepositSource): string {
  const { currency, remitterName, remitterAccount, reference, remittanceText, valueDate, receivedAt } = body;
  const content = [amount, currency, remitterName, remitterAccount, reference, remittanceText, valueDate];
  // At the end and only when there is one, so that what was reported before there were any is known again.
  const account = body.virtualAccount === undefined ? [] : [body.virtualAccount];
  const parts = [source, ...content, receivedAt, ...account].map((part) => part ?? null);
  return hash('sha256', JSON.stringify(parts), 'hex');
}

/** @throws Problem validation_failed, also for nothing; amount_precision_invalid */
export function readAmount(text: string, currency: Currency): bigint {
  const minor = readMinor(text, currency, '/amount');
  if (minor === 0n) throw wrong('/amount', 'out_of_range', POSITIVE);
  return minor;
}

function readReceivedAt(text: string | undefined, now: number): number {
  if (text === undefined) return now;
  const instant = parseRfc3339(text);
  if (instant === undefined) throw wrong('/receivedAt', 'wrong_format', INSTANT);
  if (instant > now + CLOCK_TOLERANCE_MS) {
    throw wrong('/receivedAt', 'in_the_future', `must not be later than ${isoInstant(now)}`);
  }
  return instant;
}

function readValueDate(text: string | undefined): string | undefined {
  if (text === undefined || isIsoDate(text)) return text;
  throw wrong('/valueDate', 'wrong_format', DATE);
}

function wrong(pointer: string, code: string, detail: string): Problem {
  return validationProblem([{ pointer, code, detail }]);
}

/**
 * An account of the house under the text that its statements are filed under, however it is written here: by two texts one entry would
 * be two deposits. One that was recorded as it is written is known by that again.
 */
async function filedAccount(
  connection: Queryable,
  written: string,
  { currency, bankReference }: Pick<RecordDeposit, 'currency' | 'bankReference'>,
): Promise<string> {
  const plain = plainAccount(written);
  const own = (await collectionAccounts(connection))
    .map((kept) => ({ currency: kept.currency, ...namesOf(kept.details) }))
    .filter(({ names }) => names.some((name) => plainAccount(name) === plain));
  const isOne = new Set(own.map(({ filed }) => filed)).size === 1;
  // Between two accounts of one number there is no guessing.
  const named = own.find((each) => each.currency === currency) ?? (isOne ? own[0] : undefined);
  const filed = named?.filed ?? (isIban(plain) ? plain : written);
  if (filed === written) return written;
  const before = await findByBankReference(connection, [{ account: written, bankReference }]);
  return before.length === 0 ? filed : written;
}

/** The account that customers pay a currency into, as banks name it; undefined when the house has none. */
async function houseAccount(connection: Queryable, currency: string): Promise<string | undefined> {
  const [kept] = await collectionAccounts(connection, [currency]);
  if (kept === undefined) return undefined;
  return namesOf(kept.details).filed;
}

/** @param details of a collection account, as JSON text */
function namesOf(details: string): { readonly names: readonly string[]; readonly filed: string | undefined } {
  const { iban, accountNumber } = JSON.parse(details) as Readonly<
    Record<'iban' | 'accountNumber', string | null | undefined>
  >;
  const names = [iban, accountNumber].flatMap((name) => name ?? []);
  return { names, filed: names[0] };
}
