import { hash } from 'node:crypto';
import type { DepositSource, RecordDeposit } from '@firmquote/api/operations/deposits';
import { type Currency, formatAmount, isIsoDate, localDateAt } from '@firmquote/fx';
import type { Queryable } from '../database/pool.ts';
import { readMinor } from '../http/amounts.ts';
import { requireCurrency } from '../http/market-codes.ts';
import { parseRfc3339 } from '../http/query.ts';
import { DATE, INSTANT, POSITIVE } from '../http/sentences.ts';
import { isoInstant } from '../platform/clock.ts';
import { type Problem, validationProblem } from '../problems/problem.ts';
import { accountToFileUnder, asBanksWrite } from './filed-accounts.ts';
import type { NewDeposit } from './record.ts';

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
  return {
    account: await accountToFileUnder(connection, body.account, body),
    bankReference: body.bankReference,
    source,
    amountMinor,
    currency: currency.code,
    remitterName: body.remitterName,
    remitterAccount: body.remitterAccount === undefined ? null : asBanksWrite(body.remitterAccount),
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
