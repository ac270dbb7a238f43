import type { FileAddress } from './bank-address.ts';

/** One payment as it goes to the bank. Texts are in the banks' character set already. */
export interface FilePayment {
  readonly endToEndId: string;
  /** UUID of version 4, as the unique end-to-end transaction reference is. */
  readonly uetr: string;
  /** Decimal text with the currency's minor units. */
  readonly amount: string;
  readonly scheme: 'sepa' | 'plain';
  readonly creditor: FileParty;
  /** ISO external purpose code: FREX (foreign exchange), REFU (refund), CASH (out of a balance). */
  readonly purpose: 'FREX' | 'REFU' | 'CASH';
  readonly remittance: string;
}

export interface FileParty {
  readonly name: string;
  readonly iban: string | null;
  readonly accountNumber: string | null;
  readonly bic: string | null;
  readonly routingNumber: string | null;
  readonly bankName: string | null;
  readonly address: FileAddress | null;
}

export interface PaymentFile {
  readonly messageId: string;
  /** RFC 3339. */
  readonly createdAt: string;
  readonly currency: string;
  /** YYYY-MM-DD */
  readonly executionDate: string;
  readonly chargeBearer: ChargeBearer;
  readonly debtor: FileParty;
  readonly payments: readonly FilePayment[];
}

export const CHARGE_BEARERS = ['shared', 'debtor', 'creditor'] as const;
export type ChargeBearer = (typeof CHARGE_BEARERS)[number];

const BEARER_CODES = { shared: 'SHAR', debtor: 'DEBT', creditor: 'CRED' } as const;
const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:pain.001.001.09';

/** Text content of an element; control characters that XML 1.0 has no place for are not let in. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}

function tag(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

function text(name: string, content: string): string {
  return tag(name, escapeXml(content));
}

/**
 * A customer credit transfer initiation, pain.001.001.09. SEPA payments and others are in payment blocks of their own,
 * because service level and charge bearer belong to the block (EPC132-08 wants SEPA and SLEV). Control sums are of the
 * texts that are written.
 * @param sum decimal text of the sum of some amounts, exact
 */
export function paymentFileXml(file: PaymentFile, sum: (amounts: readonly string[]) => string): string {
  const { payments, debtor } = file;
  const header =
    text('MsgId', file.messageId) +
    text('CreDtTm', file.createdAt) +
    text('NbOfTxs', String(payments.length)) +
    text('CtrlSum', sum(payments.map((each) => each.amount))) +
    tag('InitgPty', text('Nm', debtor.name));
  const blocks = (['sepa', 'plain'] as const)
    .map((scheme) => ({ scheme, members: payments.filter((each) => each.scheme === scheme) }))
    .filter(({ members }) => members.length > 0)
    .map(({ scheme, members }) => paymentBlock(file, scheme, members, sum));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${NAMESPACE}"><CstmrCdtTrfInitn>${tag('GrpHdr', header)}\n${blocks.join('\n')}</CstmrCdtTrfInitn></Document>\n`;
}

function paymentBlock(
  file: PaymentFile,
  scheme: FilePayment['scheme'],
  payments: readonly FilePayment[],
  sum: (amounts: readonly string[]) => string,
): string {
  const isSepa = scheme === 'sepa';
  const head =
    text('PmtInfId', `${file.messageId}${isSepa ? 'S' : 'P'}`) +
    text('PmtMtd', 'TRF') +
    text('NbOfTxs', String(payments.length)) +
    text('CtrlSum', sum(payments.map((each) => each.amount))) +
    (isSepa ? tag('PmtTpInf', tag('SvcLvl', text('Cd', 'SEPA'))) : '') +
    tag('ReqdExctnDt', text('Dt', file.executionDate)) +
    tag('Dbtr', text('Nm', file.debtor.name) + postalAddress(file.debtor)) +
    tag('DbtrAcct', account(file.debtor) + text('Ccy', file.currency)) +
    tag('DbtrAgt', agent(file.debtor) ?? NO_AGENT) +
    text('ChrgBr', isSepa ? 'SLEV' : BEARER_CODES[file.chargeBearer]);
  return tag('PmtInf', `${head}\n${payments.map((each) => transfer(file.currency, each)).join('\n')}`);
}

function transfer(currency: string, payment: FilePayment): string {
  const { creditor } = payment;
  const bank = agent(creditor);
  return tag(
    'CdtTrfTxInf',
    tag(
      'PmtId',
      text('InstrId', payment.endToEndId) +
        text('EndToEndId', payment.endToEndId) +
        text('UETR', payment.uetr),
    ) +
      tag('Amt', `<InstdAmt Ccy="${escapeXml(currency)}">${escapeXml(payment.amount)}</InstdAmt>`) +
      (bank === undefined ? '' : tag('CdtrAgt', bank)) +
      tag('Cdtr', text('Nm', creditor.name) + postalAddress(creditor)) +
      tag('CdtrAcct', account(creditor)) +
      tag('Purp', text('Cd', payment.purpose)) +
      tag('RmtInf', text('Ustrd', payment.remittance)),
  );
}

function postalAddress({ address }: FileParty): string {
  if (address === null) return '';
  return tag('PstlAdr', address.map(([element, content]) => text(element, content)).join(''));
}

function account({ iban, accountNumber }: FileParty): string {
  return tag('Id', iban === null ? tag('Othr', text('Id', accountNumber ?? '')) : text('IBAN', iban));
}

const NO_AGENT = tag('FinInstnId', tag('Othr', text('Id', 'NOTPROVIDED')));

function agent({ bic, routingNumber, bankName }: FileParty): string | undefined {
  if (bic === null && routingNumber === null && bankName === null) return undefined;
  return tag(
    'FinInstnId',
    (bic === null ? '' : text('BICFI', bic)) +
      (routingNumber === null ? '' : tag('ClrSysMmbId', text('MmbId', routingNumber))) +
      (bankName === null ? '' : text('Nm', bankName)),
  );
}

const COLUMNS = [
  'endToEndId',
  'uetr',
  'amount',
  'currency',
  'executionDate',
  'creditorName',
  'iban',
  'accountNumber',
  'bic',
  'routingNumber',
  'bankName',
  'chargeBearer',
  'purpose',
  'remittance',
] as const;

/** The same payments as a list (RFC 4180), for banks that take no file. Ends in a line with count and sum. */
export function paymentFileCsv(file: PaymentFile, sum: (amounts: readonly string[]) => string): string {
  const lines = file.payments.map((each) =>
    csvLine([
      each.endToEndId,
      each.uetr,
      each.amount,
      file.currency,
      file.executionDate,
      each.creditor.name,
      each.creditor.iban ?? '',
      each.creditor.accountNumber ?? '',
      each.creditor.bic ?? '',
      each.creditor.routingNumber ?? '',
      each.creditor.bankName ?? '',
      each.scheme === 'sepa' ? 'SLEV' : BEARER_CODES[file.chargeBearer],
      each.purpose,
      each.remittance,
    ]),
  );
  const total = sum(file.payments.map((each) => each.amount));
  const last = ['TOTAL', String(lines.length), total, file.currency, file.executionDate];
  const ending = csvLine([...last, ...COLUMNS.slice(last.length).map(() => '')]);
  return `${[csvLine(COLUMNS), ...lines, ending].join('\r\n')}\r\n`;
}

function csvLine(values: readonly string[]): string {
  return values.map(csvValue).join(',');
}

/** A value that a spreadsheet would take for a formula is led by an apostrophe. */
function csvValue(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
