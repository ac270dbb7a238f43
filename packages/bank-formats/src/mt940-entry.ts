import type { Currency } from '@firmquote/fx';
import { amountOf } from './amount.ts';
import { NOTHING } from './details.ts';
import type { Booking } from './entry.ts';
import { isAccount, type StatementLine } from './mt940-fields.ts';
import { readNarrative } from './mt940-narrative.ts';
import { accountOf, nameOf, remittanceOf } from './text.ts';

/** A tag 61 with the lines of the tags 86 and NS that follow it. */
export interface OpenEntry {
  readonly entry: StatementLine;
  readonly narrative: string[];
  readonly more: string[];
}

/** @throws StatementRefusal amount_invalid, amount_precision_invalid */
export function bookingOf({ entry, narrative: lines, more }: OpenEntry, currency: Currency): Booking {
  const other = otherSide(entry, lines);
  const { isReturn, instructionId, ...narrative } = readNarrative(other.text, entry.direction);
  const kind = isReturn ? 'return' : entry.kind;
  const own = remittanceOf([narrative.remittanceText, ...more]);
  const instruction = instructionId ?? (other.isReference ? null : entry.customerReference);
  const amountMinor = amountOf(entry.amountText, currency, entry.line);
  return {
    line: entry.line,
    direction: entry.direction,
    status: entry.status,
    amountMinor,
    currency: currency.code,
    bookingDate: entry.bookingDate,
    valueDate: entry.valueDate,
    bankReference: entry.bankReference,
    transactionCode: entry.transactionCode || null,
    details: [
      {
        ...NOTHING,
        ...narrative,
        kind,
        amountMinor,
        counterpartyName: narrative.counterpartyName ?? other.name,
        counterpartyAccount: narrative.counterpartyAccount ?? other.account,
        remittanceText: own ?? remittanceOf([entry.supplementary]),
        instructionId: instruction,
        originalReference: kind === 'payment' ? null : (narrative.endToEndId ?? instruction),
      },
    ],
  };
}

/**
 * The other side, as tag 61 has it. Some banks write its account as the reference, and lead the text with it and with
 * the name.
 */
function otherSide(
  { customerReference, counterpartyAccount, counterpartyName }: StatementLine,
  lines: readonly string[],
): {
  readonly name: string | null;
  readonly account: string | null;
  readonly text: readonly string[];
  readonly isReference: boolean;
} {
  const [first = '', ...text] = lines;
  if (
    customerReference !== null &&
    isAccount(customerReference) &&
    first.trimStart().startsWith(`${customerReference} `)
  ) {
    const name = nameOf(first.trimStart().slice(customerReference.length));
    return { name, account: accountOf(customerReference), text, isReference: true };
  }
  return { name: counterpartyName, account: counterpartyAccount, text: lines, isReference: false };
}
