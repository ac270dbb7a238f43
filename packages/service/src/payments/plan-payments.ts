import { hash, randomUUID } from 'node:crypto';
import type { Speed } from '@firmquote/api/operations/settlement-runs';
import {
  type Adjustment,
  bankAddress,
  type FileParty,
  type FilePayment,
  fitted,
  type PostalAddress,
  type Scheme,
} from '@firmquote/bank-formats';
import { type Currency, formatAmount } from '@firmquote/fx';
import { type DuePayment, subjectOf } from './due-payments.ts';
import { NAME_MAX } from './exclusions.ts';

export interface PlannedPayment {
  readonly payment: FilePayment;
  readonly customerId: string;
  readonly amountMinor: bigint;
  readonly items: readonly DuePayment[];
  readonly adjustments: readonly Adjustment[];
}

/** By what a bank distinguishes a payment from others. */
export interface Identifiers {
  readonly endToEndId: string;
  readonly uetr: string;
}

/** What payments were called that were made before of what is due now. */
export interface EarlierInstructions {
  /** How many identifiers a trade or a withdrawal has had, by its id. */
  readonly numbers: ReadonlyMap<string, number>;
  /** Of payments of cancelled runs, by {@link attemptsKey}. */
  readonly kept: ReadonlyMap<string, Identifiers>;
}

/** The attempts that a payment is for, as one text. */
export function attemptsKey(
  items: readonly Pick<
    DuePayment,
    'purpose' | 'attempt' | 'transaction_id' | 'withdrawal_id' | 'return_id'
  >[],
): string {
  return items
    .map((each) => `${each.purpose} ${subjectOf(each)} ${each.attempt}`)
    .sort()
    .join(', ');
}

// The territory of SEPA by country code of the IBAN (EPC409-09, 2025).
const SEPA = new Set(
  'AD AL AT BE BG CH CY CZ DE DK EE ES FI FR GB GI GR HR HU IE IS IT LI LT LU LV MC MD ME MK MT NL NO PL PT RO RS SE SI SK SM VA'.split(
    ' ',
  ),
);

/** ISO external purpose codes: foreign exchange, refund, cash management. */
const PURPOSE_CODES = { payout: 'FREX', refund: 'REFU', withdrawal: 'CASH', deposit_return: 'REFU' } as const;

/** The largest amount of a SEPA credit transfer, 999,999,999.99 EUR (EPC125-05). */
const SEPA_AMOUNT_MAX = 99_999_999_999n;
const REMITTANCE_MAX = 140; // limit: Characters of a remittance text in a payment file

/**
 * Which payments are made of what is due and payable: one each, or one for the payouts of a customer who wants that, to one
 * account.
 * @param earlier what payments for the same were called; see {@link EarlierInstructions}
 * @param house SEPA is from IBAN to IBAN, in euros
 */
export function planPayments(
  due: readonly DuePayment[],
  currency: Currency,
  earlier: EarlierInstructions,
  house: { readonly hasIban: boolean; readonly speed: Speed },
): PlannedPayment[] {
  return grouped(due).flatMap((group) => {
    const [first] = group;
    return first === undefined ? [] : [planned(group, first, currency, earlier, house)];
  });
}

/** Of what is paid, to whom and when; what a payment is called is no part of it. */
export function planDigest(payments: readonly PlannedPayment[], executionDate: string): string {
  const each = payments.map(({ items, payment: { endToEndId: _, uetr: __, ...paid } }) =>
    JSON.stringify([attemptsKey(items), paid]),
  );
  return hash('sha256', JSON.stringify([executionDate, ...each.sort()]));
}

function grouped(due: readonly DuePayment[]): readonly (readonly DuePayment[])[] {
  const groups = new Map<string, DuePayment[]>();
  for (const each of due) {
    const isNetted = each.netting && each.purpose === 'payout';
    const key = isNetted
      ? `${each.customer_id} ${each.iban ?? each.account_number} ${each.bic} ${each.routing_number} ${each.account_holder}`
      : `${subjectOf(each)} ${each.purpose}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return [...groups.values()];
}

function planned(
  items: readonly DuePayment[],
  first: DuePayment,
  currency: Currency,
  earlier: EarlierInstructions,
  house: { readonly hasIban: boolean; readonly speed: Speed },
): PlannedPayment {
  const amountMinor = items.reduce((sum, each) => sum + BigInt(each.amount_minor), 0n);
  const { party, adjustments } = bankParty(first);
  const remittance = fitted('remittance', remittanceOf(items), REMITTANCE_MAX);
  return {
    customerId: first.customer_id,
    amountMinor,
    items,
    adjustments: [...adjustments, ...remittance.adjustments],
    payment: {
      ...(earlier.kept.get(attemptsKey(items)) ?? {
        endToEndId: endToEndId(items, first, earlier.numbers.get(subjectOf(first)) ?? 0),
        uetr: randomUUID(),
      }),
      amount: formatAmount(amountMinor, currency),
      scheme: schemeOf(first, currency, amountMinor, house),
      creditor: party,
      purpose: PURPOSE_CODES[first.purpose],
      remittance: remittance.text,
    },
  };
}

function schemeOf(
  { iban }: DuePayment,
  { code }: Currency,
  amountMinor: bigint,
  { hasIban, speed }: { readonly hasIban: boolean; readonly speed: Speed },
): Scheme {
  // What is too much for SEPA goes through the settlement system of the central banks.
  if (speed === 'urgent' || (code === 'EUR' && amountMinor > SEPA_AMOUNT_MAX)) return 'urgent';
  if (code !== 'EUR' || !hasIban || iban === null || !SEPA.has(iban.slice(0, 2))) return 'plain';
  return speed === 'instant' ? 'instant' : 'sepa';
}

/** The trade's own reference, so that every side of the payment names it; with a number when it is not the first. */
function endToEndId(items: readonly DuePayment[], first: DuePayment, instructedBefore: number): string {
  const kind = first.purpose === 'refund' ? 'R' : items.length > 1 ? 'N' : '';
  const number = instructedBefore === 0 ? '' : `${instructedBefore + 1}`;
  return `${first.reference}${kind === '' && number === '' ? '' : `-${kind}${number}`}`;
}

/** References first: what does not fit any more is counted. */
function remittanceOf(items: readonly DuePayment[]): string {
  const [first] = items;
  if (first === undefined) return '';
  if (items.length === 1) return [first.reference, first.client_reference].filter(Boolean).join(' ');
  const references = items.map((each) => each.reference);
  const all = references.join(' ');
  if (all.length <= REMITTANCE_MAX) return all;
  const shown = references.slice(0, 7);
  return `${shown.join(' ')} AND ${references.length - shown.length} MORE`;
}

function bankParty(due: DuePayment): { party: FileParty; adjustments: readonly Adjustment[] } {
  const name = fitted('accountHolder', due.account_holder ?? '', NAME_MAX);
  const { address, adjustments: ofAddress } = bankAddress(
    due.postal_address === null ? null : (JSON.parse(due.postal_address) as PostalAddress),
  );
  const bank = due.bank_name === null ? undefined : fitted('bankName', due.bank_name, REMITTANCE_MAX);
  return {
    party: {
      name: name.text,
      iban: due.iban,
      accountNumber: due.account_number,
      bic: due.bic,
      routingNumber: due.routing_number,
      bankName: bank === undefined || bank.lost > 0 ? null : bank.text,
      bankCountry: due.bank_country,
      lei: due.lei,
      address,
    },
    adjustments: [
      ...name.adjustments,
      ...ofAddress,
      ...(bank === undefined
        ? []
        : bank.lost > 0
          ? [{ field: 'bankName', given: due.bank_name ?? '', sent: '' }]
          : bank.adjustments),
    ],
  };
}
