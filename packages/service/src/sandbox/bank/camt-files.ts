import { bankText } from '@firmquote/bank-formats';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import { isoInstant } from '../../platform/clock.ts';
import { type BankEntry, bankReferenceOf, type HouseAccount } from './movement.ts';
import { tag, text } from './xml.ts';

/** What a notification or statement says of one account. */
export interface AccountEntries {
  readonly account: HouseAccount;
  readonly entries: readonly BankEntry[];
}

export interface AccountStatement extends AccountEntries {
  /** UUID of the statement. */
  readonly id: string;
  readonly number: number;
  /** YYYY-MM-DD */
  readonly day: string;
  readonly openingMinor: bigint;
  readonly closingMinor: bigint;
}

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:';
/** What the schema lets a name or a line of text be at most. */
const LINE_MAX = 140;

/**
 * A camt.054.001.08: what has just been booked, account by account. Made of nothing but what it is given, so that the
 * same books make the same bytes.
 * @param fileId UUID
 */
export function notificationXml(
  fileId: string,
  createdAt: number,
  accounts: readonly AccountEntries[],
): string {
  const parts = accounts.map(({ account, entries }, index) =>
    tag(
      'Ntfctn',
      text('Id', `${plainId(fileId).slice(0, 30)}${index + 1}`) +
        text('CreDtTm', isoInstant(createdAt)) +
        accountOf(account) +
        entries.map((entry) => `\n${entryOf(entry, account.currency)}`).join(''),
    ),
  );
  return documentOf('camt.054.001.08', 'BkToCstmrDbtCdtNtfctn', fileId, createdAt, parts);
}

/** A camt.053.001.08: days that are over, statement by statement. Made like {@link notificationXml}. */
export function statementXml(
  fileId: string,
  createdAt: number,
  statements: readonly AccountStatement[],
): string {
  const parts = statements.map((statement) => {
    const { account, entries, id, number, day, openingMinor, closingMinor } = statement;
    return tag(
      'Stmt',
      text('Id', plainId(id)) +
        text('ElctrncSeqNb', String(number)) +
        text('CreDtTm', isoInstant(createdAt)) +
        tag('FrToDt', text('FrDtTm', `${day}T00:00:00Z`) + text('ToDtTm', `${day}T23:59:59Z`)) +
        accountOf(account) +
        balanceOf('OPBD', openingMinor, account.currency, day) +
        balanceOf('CLBD', closingMinor, account.currency, day) +
        summaryOf(entries, account.currency) +
        entries.map((entry) => `\n${entryOf(entry, account.currency)}`).join(''),
    );
  });
  return documentOf('camt.053.001.08', 'BkToCstmrStmt', fileId, createdAt, parts);
}

function documentOf(
  message: string,
  root: string,
  fileId: string,
  createdAt: number,
  parts: readonly string[],
): string {
  const header = tag('GrpHdr', text('MsgId', plainId(fileId)) + text('CreDtTm', isoInstant(createdAt)));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${NAMESPACE}${message}"><${root}>${header}\n${parts.join('\n')}\n</${root}></Document>\n`;
}

/** Identifications in these messages have at most 35 characters. */
function plainId(uuid: string): string {
  return uuid.replaceAll('-', '');
}

function accountOf({ account, isIban, currency, holder, bic }: HouseAccount): string {
  return tag(
    'Acct',
    tag('Id', isIban ? text('IBAN', account) : tag('Othr', text('Id', account.slice(0, 34)))) +
      text('Ccy', currency) +
      tag('Ownr', text('Nm', line(holder))) +
      (bic === null ? '' : tag('Svcr', tag('FinInstnId', text('BICFI', bic)))),
  );
}

function amount(minor: bigint, currency: string): string {
  const digits = formatAmount(minor < 0n ? -minor : minor, knownCurrency(currency));
  return `<Amt Ccy="${currency}">${digits}</Amt>`;
}

function sign(isCredit: boolean): string {
  return text('CdtDbtInd', isCredit ? 'CRDT' : 'DBIT');
}

function balanceOf(code: string, minor: bigint, currency: string, day: string): string {
  return tag(
    'Bal',
    tag('Tp', tag('CdOrPrtry', text('Cd', code))) +
      amount(minor, currency) +
      sign(minor >= 0n) +
      tag('Dt', text('Dt', day)),
  );
}

function summaryOf(entries: readonly BankEntry[], currency: string): string {
  const total = (name: string, members: readonly BankEntry[]) =>
    tag(
      name,
      text('NbOfNtries', String(members.length)) +
        text(
          'Sum',
          formatAmount(
            members.reduce((sum, each) => sum + each.amountMinor, 0n),
            knownCurrency(currency),
          ),
        ),
    );
  return tag(
    'TxsSummry',
    total(
      'TtlCdtNtries',
      entries.filter((each) => each.direction === 'credit'),
    ) +
      total(
        'TtlDbtNtries',
        entries.filter((each) => each.direction === 'debit'),
      ),
  );
}

/** Domain, family and subfamily of ISO 20022's bank transaction codes. */
function codeOf({ kind, direction }: BankEntry): readonly [string, string, string] {
  if (kind === 'charge') return ['ACMT', 'MDOP', 'CHRG'];
  if (kind === 'interest') return ['ACMT', 'MCOP', 'INTR'];
  // What comes back belongs to the family of the payment that went the other way.
  const isReceived = (direction === 'credit') !== (kind === 'return');
  return ['PMNT', isReceived ? 'RCDT' : 'ICDT', kind === 'return' ? 'RRTN' : 'OTHR'];
}

function entryOf(entry: BankEntry, currency: string): string {
  const [domain, family, subFamily] = codeOf(entry);
  return tag(
    'Ntry',
    amount(entry.amountMinor, currency) +
      sign(entry.direction === 'credit') +
      tag('Sts', text('Cd', 'BOOK')) +
      tag('BookgDt', text('Dt', entry.bookingDate)) +
      tag('ValDt', text('Dt', entry.valueDate)) +
      text('AcctSvcrRef', bankReferenceOf(entry.id)) +
      tag(
        'BkTxCd',
        tag('Domn', text('Cd', domain) + tag('Fmly', text('Cd', family) + text('SubFmlyCd', subFamily))),
      ) +
      tag('NtryDtls', tag('TxDtls', detailsOf(entry, currency))),
  );
}

function detailsOf(entry: BankEntry, currency: string): string {
  const { endToEndId, uetr, paymentInformationId, originalId, returnReason } = entry;
  const references =
    optional('PmtInfId', paymentInformationId) +
    text('EndToEndId', endToEndId ?? 'NOTPROVIDED') +
    optional('UETR', uetr) +
    optional('TxId', originalId === null ? null : bankReferenceOf(originalId));
  const remittance = lines(entry.remittanceText ?? '').map((each) => text('Ustrd', each));
  return (
    tag('Refs', references) +
    amount(entry.amountMinor, currency) +
    sign(entry.direction === 'credit') +
    partiesOf(entry) +
    (remittance.length === 0 ? '' : tag('RmtInf', remittance.join(''))) +
    (returnReason === null ? '' : tag('RtrInf', tag('Rsn', text('Cd', returnReason))))
  );
}

/** What comes back names the parties of the payment that went out. */
function partiesOf({ direction, kind, counterpartyName, counterpartyAccount }: BankEntry): string {
  const role = (direction === 'credit') !== (kind === 'return') ? 'Dbtr' : 'Cdtr';
  const name = line(counterpartyName ?? '');
  const parties =
    (name === '' ? '' : tag(role, tag('Pty', text('Nm', name)))) +
    (counterpartyAccount === null ? '' : tag(`${role}Acct`, tag('Id', otherAccount(counterpartyAccount))));
  return parties === '' ? '' : tag('RltdPties', parties);
}

function otherAccount(account: string): string {
  return /^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(account)
    ? text('IBAN', account)
    : tag('Othr', text('Id', account.slice(0, 34)));
}

function optional(name: string, content: string | null): string {
  return content === null ? '' : text(name, content);
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
