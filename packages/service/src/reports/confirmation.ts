import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { asExecuted, type PricedTransaction } from '../transactions/record.ts';
import { type PdfLine, pdfDocument } from './pdf.ts';
import type { Row } from './report.ts';
import { amountText } from './trade-reports.ts';

interface Rate {
  readonly pair: string;
  readonly baseCurrency: string;
  readonly quoteCurrency: string;
  readonly side: string;
  readonly value: string;
}

/** In place of an account: what is paid from the customer's balance, or into it. */
const BALANCE = 'balance';

/** The terms of a trade as they were agreed, flat, so that JSON and CSV have the same names. */
export function confirmationOf(row: PricedTransaction, customerName: string, now: number): Row {
  const rate = JSON.parse(row.rate) as Rate;
  const agreed = asExecuted(row);
  const house = JSON.parse(row.instructions) as Readonly<Record<string, string | null>>;
  return {
    document: 'trade_confirmation',
    transactionId: typeId('txn', row.id),
    quoteId: typeId('quote', row.quote_id),
    reference: row.reference,
    clientReference: row.client_reference,
    customerId: typeId('cus', row.customer_id),
    customerName,
    tradedAt: isoInstant(row.created_at),
    tradeDate: row.trade_date,
    valueDate: row.original_value_date,
    customerSells: amountText(row.sell_minor, row.sell_currency),
    sellCurrency: row.sell_currency,
    customerBuys: amountText(row.buy_minor, row.buy_currency),
    buyCurrency: row.buy_currency,
    fixedSide: row.fixed_side,
    pair: rate.pair,
    rate: rate.value,
    rateMeans: `${rate.quoteCurrency} for one ${rate.baseCurrency}`,
    // What the balance has paid is not to be paid again.
    payTo: row.pre_funded ? null : (house.accountHolder ?? null),
    payToAccount: row.pre_funded ? null : (house.iban ?? house.accountNumber ?? null),
    payBy: isoInstant(agreed.funding_cutoff_at),
    paidOutTo: row.proceeds === 'balance' ? BALANCE : agreed.destination_masked,
    statusNow: row.status,
    valueDateNow: row.value_date,
    generatedAt: isoInstant(now),
    payByNow: isoInstant(row.funding_cutoff_at),
    paidOutToNow: row.proceeds === 'balance' ? BALANCE : row.destination_masked,
  };
}

const LABELS: Readonly<Record<string, string>> = {
  transactionId: 'Transaction',
  quoteId: 'Quote',
  reference: 'Payment reference',
  clientReference: 'Your reference',
  customerId: 'Customer number',
  customerName: 'Customer',
  tradedAt: 'Traded at (UTC)',
  tradeDate: 'Trade date',
  valueDate: 'Value date',
  rate: 'Rate',
  payTo: 'Pay to',
  payToAccount: 'Account',
  payBy: 'Pay by (UTC)',
  paidOutTo: 'Paid out to account',
  statusNow: 'Status at creation',
  valueDateNow: 'Value date at creation',
  payByNow: 'Pay by at creation (UTC)',
  paidOutToNow: 'Paid out to account at creation',
};

/** What the confirmation says to people. */
export function confirmationLines(confirmation: Row): PdfLine[] {
  const text = (name: string) => String(confirmation[name] ?? '');
  const isPaid = confirmation.payTo === null && confirmation.payToAccount === null;
  return Object.entries(LABELS).flatMap(([name, label]): PdfLine[] => {
    if (name === 'payBy' && isPaid) return [{ label: 'Paid from', value: BALANCE }];
    if (name === 'paidOutTo' && text(name) === BALANCE) return [{ label: 'Paid out to', value: BALANCE }];
    if (name === 'payByNow' && (isPaid || text(name) === text('payBy'))) return [];
    if (name === 'paidOutToNow' && text(name) === text('paidOutTo')) return [];
    if (name !== 'rate') return text(name) === '' ? [] : [{ label, value: text(name) }];
    return [
      { label: 'Customer sells', value: `${text('customerSells')} ${text('sellCurrency')}` },
      { label: 'Customer buys', value: `${text('customerBuys')} ${text('buyCurrency')}` },
      { label, value: `${text('rate')} ${text('rateMeans')}` },
    ];
  });
}

/** The confirmation for people. What the font lacks is said at the end, since the record itself has it. */
export function confirmationPdf(confirmation: Row): Promise<Buffer> {
  const generatedAt = String(confirmation.generatedAt);
  return pdfDocument({
    title: 'Trade confirmation',
    lines: confirmationLines(confirmation),
    footer: `Created ${generatedAt}`,
    createdAt: Date.parse(generatedAt),
    lacking: { label: 'Note', value: 'Letters missing from this font are shown as "?".' },
  });
}
