import { findCurrency, parseAmount } from '@firmquote/fx';
import type { FileAddress } from './bank-text.ts';
import { clearingMember, countryOfBank } from './identifiers.ts';
import type { CashAccount } from './statement.ts';
import {
  at,
  documentXml,
  escapeXml,
  tag,
  text,
  textAt,
  type XmlHandler,
  type XmlNode,
  XmlTrees,
} from './xml.ts';

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

/**
 * A customer credit transfer initiation, pain.001.001.09. Each scheme has a payment block of its own, because service
 * level, priority and charge bearer belong to the block (EPC132-08 and EPC122-16 want SEPA and SLEV, the latter INST). Control sums are of the
 * texts that are written.
 * @param sum decimal text of the sum of some amounts, exact
 */
export function writePain001(file: PaymentFile, sum: (amounts: readonly string[]) => string): string {
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
  return documentXml('pain.001.001.09', 'CstmrCdtTrfInitn', [tag('GrpHdr', header), ...blocks]);
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
export function writePaymentCsv(file: PaymentFile, sum: (amounts: readonly string[]) => string): string {
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

/** A payment as the file orders it. */
export interface OrderedPayment {
  readonly endToEndId: string;
  readonly uetr: string | null;
  readonly paymentInformationId: string | null;
  readonly debtor: CashAccount;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly creditorName: string | null;
  readonly creditorAccount: string | null;
  readonly remittanceText: string | null;
}

export interface OrderedPayments {
  readonly messageId: string;
  readonly payments: readonly OrderedPayment[];
}

/**
 * Reads a customer credit transfer initiation (pain.001), as the bank does that it is handed to.
 * @throws StatementRefusal on what is not one; Error on one that lacks what a bank needs
 */
export function readPain001(content: string): OrderedPayments {
  const reader = new PaymentFileReader();
  const xml = new XmlTrees(reader);
  xml.write(content);
  xml.end();
  return { messageId: required(reader.messageId, 'MsgId'), payments: reader.payments };
}

/** The group header, the parts of a payment block, and each payment. */
class PaymentFileReader implements XmlHandler {
  readonly namespaces = /^urn:iso:std:iso:20022:tech:xsd:pain\.001\./;
  readonly what = 'a payment file';
  messageId: string | null = null;
  readonly payments: OrderedPayment[] = [];
  #block = new Map<string, XmlNode>();

  open(path: readonly string[]): void {
    if (path.length === 3 && path[2] === 'PmtInf') this.#block = new Map();
  }

  close(): void {}

  keeps(path: readonly string[]): boolean {
    return path.length === 3 ? path[2] !== 'PmtInf' : path.length === 4 && path[2] === 'PmtInf';
  }

  node(path: readonly string[], node: XmlNode): void {
    if (path.length === 3) {
      if (node.name === 'GrpHdr') this.messageId = textAt(node, 'MsgId');
    } else if (node.name === 'CdtTrfTxInf') this.payments.push(this.#payment(node));
    else this.#block.set(node.name, node);
  }

  #payment(node: XmlNode): OrderedPayment {
    const amount = at(node, 'Amt/InstdAmt');
    const currency = findCurrency(amount?.currency ?? '');
    const parsed = currency && parseAmount(amount?.text.trim() ?? '', currency);
    if (currency === undefined || parsed === undefined || !parsed.ok || parsed.minor <= 0n) {
      throw new Error('a payment without an amount');
    }
    return {
      endToEndId: required(textAt(node, 'PmtId/EndToEndId'), 'EndToEndId'),
      uetr: textAt(node, 'PmtId/UETR'),
      paymentInformationId: this.#block.get('PmtInfId')?.text.trim() ?? null,
      debtor: this.#debtor(currency.code),
      amountMinor: parsed.minor,
      currency: currency.code,
      creditorName: textAt(node, 'Cdtr/Nm'),
      creditorAccount: textAt(node, 'CdtrAcct/Id/IBAN', 'CdtrAcct/Id/Othr/Id'),
      remittanceText: textAt(node, 'RmtInf/Ustrd'),
    };
  }

  #debtor(currency: string): CashAccount {
    const account = this.#block.get('DbtrAcct');
    const iban = textAt(account, 'Id/IBAN');
    return {
      currency,
      account: required(iban ?? textAt(account, 'Id/Othr/Id'), 'DbtrAcct'),
      isIban: iban !== null,
      holder: required(textAt(this.#block.get('Dbtr'), 'Nm'), 'Dbtr'),
      bic: textAt(this.#block.get('DbtrAgt'), 'FinInstnId/BICFI', 'FinInstnId/BIC'),
    };
  }
}

function required(text: string | null, name: string): string {
  if (text === null) throw new Error(`a payment file without ${name}`);
  return text;
}
