import type { FileAddress } from './bank-address.ts';
import { clearingMember, countryOfBank } from './clearing-systems.ts';

/**
 * How a payment travels: SEPA credit transfer, SEPA instant credit transfer, urgent (in euros by the settlement system of
 * the central banks), or as banks do it.
 */
export const SCHEMES = ['sepa', 'instant', 'urgent', 'plain'] as const;
export type Scheme = (typeof SCHEMES)[number];

/** Last letter of the block's id, by which a block that is booked as one sum is known again. */
const BLOCK_LETTERS: Readonly<Record<Scheme, string>> = { sepa: 'S', instant: 'I', urgent: 'U', plain: 'P' };

/** One payment as it goes to the bank. Texts are in the banks' character set already. */
export interface FilePayment {
  readonly endToEndId: string;
  /** UUID of version 4, as the unique end-to-end transaction reference is. */
  readonly uetr: string;
  /** Decimal text with the currency's minor units. */
  readonly amount: string;
  readonly scheme: Scheme;
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
  /** ISO 3166-1 alpha-2. */
  readonly bankCountry: string | null;
  /** Legal entity identifier. */
  readonly lei: string | null;
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

/** Priority, service level and local instrument of each scheme (PmtTpInf). */
const TYPES: Readonly<Record<Scheme, string>> = {
  sepa: tag('SvcLvl', text('Cd', 'SEPA')),
  instant: tag('SvcLvl', text('Cd', 'SEPA')) + tag('LclInstrm', text('Cd', 'INST')),
  urgent: text('InstrPrty', 'HIGH') + tag('SvcLvl', text('Cd', 'URGP')),
  plain: text('InstrPrty', 'NORM') + tag('SvcLvl', text('Cd', 'NURG')),
};

export function isSepaScheme(scheme: Scheme): boolean {
  return scheme === 'sepa' || scheme === 'instant';
}

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
 * A customer credit transfer initiation, pain.001.001.09. Each scheme has a payment block of its own, because service
 * level, priority and charge bearer belong to the block (EPC132-08 and EPC122-16 want SEPA and SLEV, the latter INST). Control sums are of the
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
  const blocks = SCHEMES.map((scheme) => ({
    scheme,
    members: payments.filter((each) => each.scheme === scheme),
  }))
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
  const isSepa = isSepaScheme(scheme);
  const head =
    text('PmtInfId', `${file.messageId}${BLOCK_LETTERS[scheme]}`) +
    text('PmtMtd', 'TRF') +
    text('NbOfTxs', String(payments.length)) +
    text('CtrlSum', sum(payments.map((each) => each.amount))) +
    tag('PmtTpInf', TYPES[scheme]) +
    tag('ReqdExctnDt', text('Dt', file.executionDate)) +
    tag('Dbtr', text('Nm', file.debtor.name) + postalAddress(file.debtor) + identification(file.debtor)) +
    tag('DbtrAcct', account(file.debtor) + text('Ccy', file.currency)) +
    tag('DbtrAgt', agent(file.debtor, scheme) ?? NO_AGENT) +
    text('ChrgBr', isSepa ? 'SLEV' : BEARER_CODES[file.chargeBearer]);
  return tag('PmtInf', `${head}\n${payments.map((each) => transfer(file.currency, each)).join('\n')}`);
}

function transfer(currency: string, payment: FilePayment): string {
  const { creditor } = payment;
  const bank = agent(creditor, payment.scheme);
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
      tag('Cdtr', text('Nm', creditor.name) + postalAddress(creditor) + identification(creditor)) +
      tag('CdtrAcct', account(creditor)) +
      tag('Purp', text('Cd', payment.purpose)) +
      tag('RmtInf', text('Ustrd', payment.remittance)),
  );
}

function postalAddress({ address }: FileParty): string {
  if (address === null) return '';
  return tag('PstlAdr', address.map(([element, content]) => text(element, content)).join(''));
}

function identification({ lei }: FileParty): string {
  return lei === null ? '' : tag('Id', tag('OrgId', text('LEI', lei)));
}

function account({ iban, accountNumber }: FileParty): string {
  return tag('Id', iban === null ? tag('Othr', text('Id', accountNumber ?? '')) : text('IBAN', iban));
}

const NO_AGENT = tag('FinInstnId', tag('Othr', text('Id', 'NOTPROVIDED')));

/** In SEPA a bank is its BIC and nothing else; elsewhere, all that is known of it. */
function agent(party: FileParty, scheme: Scheme): string | undefined {
  const { bic, routingNumber, bankName } = party;
  const bicElement = bic === null ? '' : text('BICFI', bic);
  if (isSepaScheme(scheme)) return bic === null ? undefined : tag('FinInstnId', bicElement);
  if (bic === null && routingNumber === null && bankName === null && party.bankCountry === null)
    return undefined;
  const country = countryOfBank(party);
  return tag(
    'FinInstnId',
    bicElement +
      (routingNumber === null ? '' : tag('ClrSysMmbId', memberOf(routingNumber, country))) +
      (bankName === null ? '' : text('Nm', bankName)) +
      (country === undefined ? '' : tag('PstlAdr', text('Ctry', country))),
  );
}

function memberOf(routingNumber: string, country: string | undefined): string {
  const { system, member } = clearingMember(routingNumber, country);
  return (system === undefined ? '' : tag('ClrSysId', text('Cd', system))) + text('MmbId', member);
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
  'bankCountry',
  'scheme',
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
      countryOfBank(each.creditor) ?? '',
      each.scheme,
      isSepaScheme(each.scheme) ? 'SLEV' : BEARER_CODES[file.chargeBearer],
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
