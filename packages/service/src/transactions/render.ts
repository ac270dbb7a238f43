import { formatAmount, isFinalTransactionStatus, knownCurrency, localDateAt } from '@firmquote/fx';
import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { keptEstimatedJson } from '../quotes/price-text.ts';
import type { TransactionSummary } from './read-rows.ts';
import { type PricedTransaction, type TransactionRow, timelineJson } from './record.ts';

const HOUR_MS = 3_600_000;

/**
 * When looking again is worth it (docs/interface.md#polling): every 5 s in the hour before the funding cut-off, every minute on
 * the value date, every quarter of an hour before; never for what is final. While money is expected or under way
 * in the sandbox, seconds matter as well, hence the caller may give an upper bound.
 */
export function nextPollAfterSeconds(row: TransactionRow, now: number, atMost = 900): number | null {
  if (isFinalTransactionStatus(row.status)) return null;
  const untilCutoff = row.funding_cutoff_at - now;
  const waitsForFunds = row.status === 'awaiting_funds' || row.status === 'partially_funded';
  if (waitsForFunds && untilCutoff >= 0 && untilCutoff <= HOUR_MS) return Math.min(5, atMost);
  const today = localDateAt(now, 'UTC');
  return Math.min(today >= row.value_date ? 60 : 900, atMost);
}

function instantOrNull(instant: number | null): string {
  return instant === null ? 'null' : `"${isoInstant(instant)}"`;
}

/** Who reads it. What banks and operators said of a failure is for operators alone. */
export type Reader = 'customer' | 'operator';

/** `failure` or `refund` as it is kept, as this reader may see it. */
function asReaderSees(json: string | null, reader: Reader): string {
  if (json === null || reader === 'operator') return json ?? 'null';
  const { detail: _, ...open } = JSON.parse(json) as Record<string, unknown>;
  return JSON.stringify(open);
}

interface Parts {
  readonly head: string;
  readonly funding: string;
  readonly tail: string;
}

function partsOf(row: TransactionSummary, reader: Reader): Parts {
  const sell = knownCurrency(row.sell_currency);
  const buy = knownCurrency(row.buy_currency);
  const sellMinor = BigInt(row.sell_minor);
  const received = BigInt(row.received_minor);
  const shortfall = BigInt(row.shortfall_minor);
  const outstanding = sellMinor - received - shortfall;
  const sellText = formatAmount(sellMinor, sell);
  const buyText = formatAmount(BigInt(row.buy_minor), buy);
  const cutoff = isoInstant(row.funding_cutoff_at);
  const estimated = row.evidence === null ? '' : keptEstimatedJson(row.evidence);
  return {
    head: `{"transactionId":"${typeId('txn', row.id)}","quoteId":"${typeId('quote', row.quote_id)}","reference":"${row.reference}","status":"${row.status}","statusReason":${JSON.stringify(row.status_reason)},"version":${row.version},"changeSequence":${row.change_sequence},"sellCurrency":"${row.sell_currency}","buyCurrency":"${row.buy_currency}","fixedSide":"${row.fixed_side}","sellAmount":"${sellText}","buyAmount":"${buyText}","rate":${row.rate},"pricing":${row.pricing},"settlement":{"tradeDate":"${row.trade_date}","valueDate":"${row.value_date}","originalValueDate":"${row.original_value_date}","fundingCutoffAt":"${cutoff}","settledAt":${instantOrNull(row.settled_at)}${estimated === '' ? '' : `,${estimated}`}}`,
    funding: `"mode":"${row.pre_funded ? 'pre_funded' : 'post_funded'}","expected":{"amount":"${sellText}","currency":"${row.sell_currency}"},"received":"${formatAmount(received, sell)}","outstanding":"${formatAmount(outstanding > 0n ? outstanding : 0n, sell)}","excess":"${formatAmount(BigInt(row.excess_minor), sell)}","shortfall":"${formatAmount(shortfall, sell)}"`,
    tail: `"payout":{"status":"${row.payout_status}",${row.proceeds === 'balance' ? '"to":"balance",' : ''}"amount":"${buyText}","currency":"${row.buy_currency}","destinationId":"${typeId('ssi', row.destination_id)}","destinationMasked":${JSON.stringify(row.destination_masked)},"bankReference":${JSON.stringify(row.payout_reference)},"paidAt":${instantOrNull(row.paid_at)}},"refund":${asReaderSees(row.refund, reader)},"holds":${row.holds},"failure":${asReaderSees(row.failure, reader)},"clientReference":${JSON.stringify(row.client_reference)},"metadata":${row.metadata},"createdAt":"${isoInstant(row.created_at)}","updatedAt":"${isoInstant(row.updated_at)}"`,
  };
}

/** JSON of a transaction (docs/interface.md#transactions). */
export function renderTransaction(
  row: PricedTransaction,
  now: number,
  reader: Reader,
  pollAtMost?: number,
): string {
  const { head, funding, tail } = partsOf(row, reader);
  const poll = nextPollAfterSeconds(row, now, pollAtMost);
  // Instructions are an object with the house's account; reference and due time belong to this trade.
  const account = row.instructions.trim().slice(1, -1);
  const cutoff = isoInstant(row.funding_cutoff_at);
  return `${head},"funding":{${funding},"deposits":${row.deposits},"instructions":{${account},"reference":"${row.reference}","dueBy":"${cutoff}"}},${tail},"timeline":${timelineJson(row)},"nextPollAfterSeconds":${poll}}`;
}

/** JSON of a list item: without timeline and instructions. */
export function renderSummary(row: TransactionSummary, reader: Reader): string {
  const { head, funding, tail } = partsOf(row, reader);
  return `${head},"funding":{${funding}},${tail}}`;
}
