import { formatAmount, knownCurrency } from '@firmquote/fx';
import { bankText } from './bank-text.ts';
import type {
  Balance,
  CashAccount,
  CurrencyExchange,
  EntryStatus,
  MessageHeader,
  StatementEntry,
  TransactionDetails,
} from './statement.ts';
import { amountXml, documentXml, optional, tag, text } from './xml.ts';

/** What a message says of one account. */
export interface AccountEntries {
  /** At most 35 characters. */
  readonly id: string;
  readonly account: CashAccount;
  /** In the account's currency. */
  readonly entries: readonly WrittenEntry[];
}

export type WrittenEntry = Omit<StatementEntry, 'line' | 'currency'>;

export interface AccountStatement extends AccountEntries {
  readonly number: number;
  readonly opening: Balance;
  readonly closing: Balance;
}

/** What the schema takes for an IBAN. */
const IBAN_FORM = /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/;
/** What the schema lets a name or a line of text be at most. */
const LINE_MAX = 140;
const STATUSES: Readonly<Record<EntryStatus, string>> = {
  booked: 'BOOK',
  pending: 'PDNG',
  information: 'INFO',
};

/*
 * Messages are made of nothing but what they are given, so that the same facts make the same bytes. Names and texts are
 * written in the characters of banks and within the lengths of the schema; references are the caller's to keep within 35
 * characters.
 */

/** A camt.052.001.08: an interim report, account by account. */
export function writeCamt052(header: MessageHeader, accounts: readonly AccountEntries[]): string {
  const parts = accounts.map((each) => partXml('Rpt', header, each));
  return messageXml('camt.052.001.08', 'BkToCstmrAcctRpt', header, parts);
}

/** A camt.054.001.08: what has just been booked, account by account. */
export function writeCamt054(header: MessageHeader, accounts: readonly AccountEntries[]): string {
  const parts = accounts.map((each) => partXml('Ntfctn', header, each));
  return messageXml('camt.054.001.08', 'BkToCstmrDbtCdtNtfctn', header, parts);
}

/** A camt.053.001.08: days that are over, statement by statement. */
export function writeCamt053(header: MessageHeader, statements: readonly AccountStatement[]): string {
  const parts = statements.map(({ id, account, number, opening, closing, entries }) =>
    tag(
      'Stmt',
      text('Id', id) +
        text('ElctrncSeqNb', String(number)) +
        text('CreDtTm', header.createdAt) +
        tag(
          'FrToDt',
          text('FrDtTm', `${opening.date}T00:00:00Z`) + text('ToDtTm', `${closing.date}T23:59:59Z`),
        ) +
        accountXml(account) +
        balanceXml('OPBD', opening) +
        balanceXml('CLBD', closing) +
        summaryXml(entries, account.currency) +
        entries.map((entry) => `\n${entryXml(entry, account.currency)}`).join(''),
    ),
  );
  return messageXml('camt.053.001.08', 'BkToCstmrStmt', header, parts);
}

function messageXml(
  message: string,
  root: string,
  { id, createdAt }: MessageHeader,
  parts: readonly string[],
): string {
  const header = tag('GrpHdr', text('MsgId', id) + text('CreDtTm', createdAt));
  return documentXml(message, root, [header, ...parts, '']);
}

function partXml(part: string, header: MessageHeader, { id, account, entries }: AccountEntries): string {
  return tag(
    part,
    text('Id', id) +
      text('CreDtTm', header.createdAt) +
      accountXml(account) +
      entries.map((entry) => `\n${entryXml(entry, account.currency)}`).join(''),
  );
}

function accountXml({ account, isIban: hasIban, currency, holder, bic }: CashAccount): string {
  return tag(
    'Acct',
    tag('Id', hasIban ? text('IBAN', account) : numberXml(account)) +
      text('Ccy', currency) +
      tag('Ownr', text('Nm', line(holder))) +
      (bic === null ? '' : tag('Svcr', tag('FinInstnId', text('BICFI', bic)))),
  );
}

function numberXml(account: string): string {
  return tag('Othr', text('Id', account.slice(0, 34)));
}

function signXml(isCredit: boolean): string {
  return text('CdtDbtInd', isCredit ? 'CRDT' : 'DBIT');
}

function balanceXml(code: string, { minor, currency, date }: Balance): string {
  return tag(
    'Bal',
    tag('Tp', tag('CdOrPrtry', text('Cd', code))) +
      amountXml('Amt', minor, currency) +
      signXml(minor >= 0n) +
      tag('Dt', text('Dt', date)),
  );
}

function summaryXml(entries: readonly WrittenEntry[], currency: string): string {
  const { credit = [], debit = [] } = Object.groupBy(entries, (each) => each.direction);
  const total = (name: string, members: readonly WrittenEntry[]) => {
    const sum = members.reduce((minor, each) => minor + each.amountMinor, 0n);
    return tag(
      name,
      text('NbOfNtries', String(members.length)) + text('Sum', formatAmount(sum, knownCurrency(currency))),
    );
  };
  return tag('TxsSummry', total('TtlCdtNtries', credit) + total('TtlDbtNtries', debit));
}

function entryXml(entry: WrittenEntry, currency: string): string {
  const { amountMinor, direction, status, bookingDate, valueDate, bankReference, details } = entry;
  const isReversal = details.some((each) => each.kind === 'reversal');
  return tag(
    'Ntry',
    amountXml('Amt', amountMinor, currency) +
      signXml(direction === 'credit') +
      (isReversal ? text('RvslInd', 'true') : '') +
      tag('Sts', text('Cd', STATUSES[status])) +
      tag('BookgDt', text('Dt', bookingDate)) +
      tag('ValDt', text('Dt', valueDate)) +
      optional('AcctSvcrRef', bankReference) +
      codeXml(entry.transactionCode) +
      tag('NtryDtls', details.map((each) => detailsXml(each, entry, currency)).join('')),
  );
}

/** Domain, family and subfamily of ISO 20022's codes, such as `PMNT/RCDT/ESCT`, or the bank's own code. */
function codeXml(code: string | null): string {
  const [, domain, family, subFamily] = /^([A-Z]{4})\/([A-Z]{4})\/([A-Z]{4})$/.exec(code ?? '') ?? [];
  if (domain === undefined || family === undefined || subFamily === undefined) {
    return tag('BkTxCd', tag('Prtry', text('Cd', (code ?? 'NOTPROVIDED').slice(0, 35))));
  }
  return tag(
    'BkTxCd',
    tag('Domn', text('Cd', domain) + tag('Fmly', text('Cd', family) + text('SubFmlyCd', subFamily))),
  );
}

function detailsXml(details: TransactionDetails, { direction }: WrittenEntry, currency: string): string {
  const { kind, originalReference, structuredReferences } = details;
  const references =
    optional('AcctSvcrRef', details.detailReference) +
    optional('PmtInfId', details.paymentInformationId) +
    optional('InstrId', details.instructionId) +
    text('EndToEndId', details.endToEndId ?? 'NOTPROVIDED') +
    optional('UETR', details.uetr) +
    optional('TxId', kind === 'payment' ? null : originalReference);
  const remittance =
    lines(details.remittanceText ?? '')
      .map((each) => text('Ustrd', each))
      .join('') +
    structuredReferences.map((each) => tag('Strd', tag('CdtrRefInf', text('Ref', each)))).join('');
  return tag(
    'TxDtls',
    tag('Refs', references) +
      amountXml('Amt', details.amountMinor, currency) +
      signXml(direction === 'credit') +
      exchangeXml(details.exchange) +
      partiesXml(details, direction === 'credit') +
      (remittance === '' ? '' : tag('RmtInf', remittance)) +
      (kind === 'return' ? tag('RtrInf', tag('Rsn', reasonXml(details.returnReason ?? 'NARR'))) : ''),
  );
}

function reasonXml(reason: string): string {
  return text(/^[A-Z0-9]{1,4}$/.test(reason) ? 'Cd' : 'Prtry', reason);
}

function exchangeXml(exchange: CurrencyExchange | null): string {
  if (exchange === null) return '';
  const { sourceCurrency, targetCurrency, unitCurrency, rate, originalAmount, originalCurrency } = exchange;
  if (sourceCurrency === null || rate === null || originalAmount === null || originalCurrency === null)
    return '';
  const conversion =
    text('SrcCcy', sourceCurrency) +
    optional('TrgtCcy', targetCurrency) +
    optional('UnitCcy', unitCurrency) +
    text('XchgRate', rate);
  const amount = `<Amt Ccy="${originalCurrency}">${originalAmount}</Amt>`;
  return tag('AmtDtls', tag('InstdAmt', amount + tag('CcyXchg', conversion)));
}

/** What comes back names the parties of the payment that went out. */
function partiesXml(details: TransactionDetails, isCredit: boolean): string {
  const { kind, counterpartyName, counterpartyAccount, creditedAccount } = details;
  const role = isCredit === (kind === 'payment') ? 'Dbtr' : 'Cdtr';
  const name = line(counterpartyName ?? '');
  const parties =
    (name === '' ? '' : tag(role, tag('Pty', text('Nm', name)))) +
    partyAccountXml(role, counterpartyAccount) +
    (isCredit && kind === 'payment' ? partyAccountXml('Cdtr', creditedAccount) : '');
  return parties === '' ? '' : tag('RltdPties', parties);
}

function partyAccountXml(role: 'Dbtr' | 'Cdtr', account: string | null): string {
  if (account === null) return '';
  return tag(`${role}Acct`, tag('Id', IBAN_FORM.test(account) ? text('IBAN', account) : numberXml(account)));
}

function line(given: string): string {
  return bankText(given).text.slice(0, LINE_MAX).trim();
}

/** A text in the banks' character set, in pieces that the schema has room for. */
function lines(given: string): string[] {
  return given
    .split(/[\r\n]+/)
    .flatMap((each) => bankText(each).text.match(/.{1,140}/g) ?? [])
    .map((each) => each.trim())
    .filter((each) => each !== '');
}
