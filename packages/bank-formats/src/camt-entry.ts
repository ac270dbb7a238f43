import { type Currency, isIsoDate } from '@firmquote/fx';
import { amountOf, currencyOf } from './amount.ts';
import { StatementRefusal, shown } from './refusal.ts';
import {
  type CurrencyExchange,
  type Direction,
  type EntryStatus,
  NO_DETAILS,
  type StatementEntry,
  type TransactionDetails,
  type TransactionKind,
} from './statement.ts';
import { accountOf, cut, nameOf, referenceOf, remittanceOf } from './text.ts';
import { all, at, textAt, type XmlNode } from './xml.ts';

/** A payment of an entry as the file says it, before it is known whether the amounts divide the entry. */
export interface RawTransaction extends Omit<TransactionDetails, 'amountMinor' | 'kind'> {
  readonly amount: { readonly text: string; readonly currency: string; readonly line: number } | undefined;
  readonly direction: Direction | undefined;
  readonly isReturn: boolean;
  readonly debtor: Party;
  readonly creditor: Party;
  readonly additionalText: string | null;
}

interface Party {
  readonly name: string | null;
  readonly account: string | null;
}

const STATUS: Readonly<Record<string, EntryStatus>> = {
  BOOK: 'booked',
  PDNG: 'pending',
  FUTR: 'pending',
  INFO: 'information',
};
const UETR = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** `TxDtls`: one payment of an entry. */
export function readTxDtls(node: XmlNode): RawTransaction {
  const refs = at(node, 'Refs');
  const parties = at(node, 'RltdPties');
  const returned = at(node, 'RtrInf');
  const amount = at(node, 'Amt') ?? at(node, 'AmtDtls/TxAmt/Amt');
  const endToEndId = referenceOf(textAt(refs, 'EndToEndId'));
  const instructionId = referenceOf(textAt(refs, 'InstrId'));
  const uetr = textAt(refs, 'UETR')?.toLowerCase() ?? null;
  const structured = all(node, 'RmtInf/Strd');
  const reason = textAt(returned, 'Rsn/Cd', 'Rsn/Prtry') ?? (returned === undefined ? null : 'NARR');
  return {
    amount: amount && { text: amount.text.trim(), currency: amount.currency ?? '', line: amount.line },
    direction: at(node, 'CdtDbtInd') === undefined ? undefined : directionOf(node),
    isReturn: returned !== undefined,
    endToEndId,
    uetr: uetr !== null && UETR.test(uetr) ? uetr : null,
    instructionId,
    paymentInformationId: referenceOf(textAt(refs, 'PmtInfId')),
    detailReference: referenceOf(textAt(refs, 'AcctSvcrRef', 'AcctSvcrTxId')),
    structuredReferences: structured
      .slice(0, 100)
      .flatMap((each) => referenceOf(textAt(each, 'CdtrRefInf/Ref')) ?? []),
    remittanceText: remittanceOf([
      ...all(node, 'RmtInf/Ustrd').map((each) => each.text),
      ...structured.flatMap((each) => all(each, 'AddtlRmtInf').map((text) => text.text)),
      ...structured.flatMap((each) => all(each, 'RfrdDocInf/Nb').map((text) => text.text)),
    ]),
    additionalText: textAt(node, 'AddtlTxInf'),
    debtor: partyOf(parties, 'Dbtr'),
    creditor: partyOf(parties, 'Cdtr'),
    counterpartyName: null,
    counterpartyAccount: null,
    creditedAccount: null,
    returnReason: reason === null ? null : cut(reason, 35),
    originalReference:
      returned === undefined ? null : (referenceOf(textAt(refs, 'TxId')) ?? instructionId ?? endToEndId),
    exchange: exchangeOf(at(node, 'AmtDtls')),
  };
}

/** `Ntry`, whose payments have been read already. */
export function readNtry(
  node: XmlNode,
  raw: readonly RawTransaction[],
  fallbackDate: string | null,
): StatementEntry {
  const amount = at(node, 'Amt');
  if (amount === undefined) throw missing('Ntry/Amt', node.line);
  const currency = currencyOf(amount.currency ?? '', amount.line);
  const amountMinor = amountOf(amount.text.trim(), currency, amount.line);
  const direction = directionOf(node);
  const booked = dateAt(node, 'BookgDt');
  const valued = dateAt(node, 'ValDt');
  const bookingDate = booked ?? valued ?? fallbackDate;
  if (bookingDate === null) throw missing('Ntry/BookgDt', node.line);
  const isReversal = isTrue(textAt(node, 'RvslInd'));
  const ntryExchange = exchangeOf(at(node, 'AmtDtls'));
  const ntryText = textAt(node, 'AddtlNtryInf');
  // Of what was ordered in one file and is booked as one sum.
  const block = referenceOf(textAt(node, 'NtryDtls/Btch/PmtInfId', 'NtryDtls/Btch/MsgId'));
  const isDivided = raw.length > 1;
  const entry = { direction, currency, isReversal, isDivided, block, text: ntryText, exchange: ntryExchange };
  const read = raw.map((each) => readDetail(each, entry));
  return {
    line: node.line,
    direction,
    status: statusOf(node),
    amountMinor,
    currency: currency.code,
    bookingDate,
    valueDate: valued ?? bookingDate,
    bankReference: referenceOf(textAt(node, 'AcctSvcrRef')),
    transactionCode: transactionCodeOf(at(node, 'BkTxCd')),
    details: settleDetails(read, amountMinor, {
      kind: isReversal ? 'reversal' : 'payment',
      count: countOf(node),
      paymentInformationId: block,
      remittanceText: remittanceOf([ntryText]),
      exchange: ntryExchange,
    }),
  };
}

/** How many payments the entry says that it is of, listed or not; 0 where it does not say. */
function countOf(node: XmlNode): bigint {
  const texts = all(node, 'NtryDtls/Btch/NbOfTxs').map((each) => each.text.trim());
  return texts.reduce((sum, text) => (/^\d{1,15}$/.test(text) ? sum + BigInt(text) : sum), 0n);
}

/** What an entry says of all its payments. */
interface OfEntry {
  readonly direction: Direction;
  readonly currency: Currency;
  readonly isReversal: boolean;
  /** It has several payments. */
  readonly isDivided: boolean;
  /** What the payments were ordered in together. */
  readonly block: string | null;
  readonly text: string | null;
  readonly exchange: CurrencyExchange | null;
}

/** One payment of an entry: what it does not say itself, the entry says. */
function readDetail(raw: RawTransaction, entry: OfEntry): ReadDetail {
  const { direction, currency } = entry;
  const kind: TransactionKind = raw.isReturn ? 'return' : entry.isReversal ? 'reversal' : 'payment';
  const {
    amount: own,
    direction: ownDirection,
    isReturn: _,
    debtor,
    creditor,
    additionalText,
    ...rest
  } = raw;
  const party = counterparty(direction, kind, debtor, creditor);
  return {
    ...rest,
    kind,
    sameWay: (ownDirection ?? direction) === direction,
    amountMinor:
      own?.currency === currency.code && entry.isDivided ? amountOf(own.text, currency, own.line) : -1n,
    counterpartyName: party.name,
    counterpartyAccount: party.account,
    creditedAccount: direction === 'credit' && kind === 'payment' ? creditor.account : null,
    paymentInformationId: rest.paymentInformationId ?? entry.block,
    remittanceText: rest.remittanceText ?? remittanceOf([additionalText ?? entry.text]),
    exchange: rest.exchange ?? entry.exchange,
  };
}

/** Who is on the other side. What comes back names the parties of the payment that went out. */
function counterparty(direction: Direction, kind: TransactionKind, debtor: Party, creditor: Party): Party {
  const [usual, other] = direction === 'credit' ? [debtor, creditor] : [creditor, debtor];
  return kind === 'payment' ? usual : other.name === null && other.account === null ? usual : other;
}

function partyOf(parties: XmlNode | undefined, role: 'Dbtr' | 'Cdtr'): Party {
  const names = [`${role}/Nm`, `${role}/Pty/Nm`, `${role}/Agt/FinInstnId/Nm`, `${role}Acct/Nm`];
  const accounts = ['IBAN', 'Othr/Id', 'PrtryAcct/Id', 'BBAN'].map((name) => `${role}Acct/Id/${name}`);
  return { name: nameOf(textAt(parties, ...names)), account: accountOf(textAt(parties, ...accounts)) };
}

function exchangeOf(amounts: XmlNode | undefined): CurrencyExchange | null {
  const found = ['InstdAmt', 'TxAmt', 'CntrValAmt', 'AnncdPstngAmt']
    .map((name) => at(amounts, name))
    .find((each) => at(each, 'CcyXchg') !== undefined);
  const exchange = at(found, 'CcyXchg');
  if (exchange === undefined) return null;
  const original = at(amounts, 'InstdAmt/Amt') ?? at(found, 'Amt');
  return {
    sourceCurrency: shortOf(textAt(exchange, 'SrcCcy')),
    targetCurrency: shortOf(textAt(exchange, 'TrgtCcy')),
    unitCurrency: shortOf(textAt(exchange, 'UnitCcy')),
    rate: shortOf(textAt(exchange, 'XchgRate')),
    originalAmount: shortOf(original?.text.trim() ?? null),
    originalCurrency: shortOf(original?.currency ?? null),
  };
}

function shortOf(text: string | null): string | null {
  return text === null ? null : referenceOf(cut(text, 40));
}

function statusOf(node: XmlNode): EntryStatus {
  const text = textAt(node, 'Sts/Cd', 'Sts/Prtry', 'Sts');
  if (text === null) throw missing('Ntry/Sts', node.line);
  const status = STATUS[text];
  if (status === undefined) {
    throw new StatementRefusal('field_invalid', `"${shown(text)}" is not a status of an entry`, node.line);
  }
  return status;
}

function transactionCodeOf(code: XmlNode | undefined): string | null {
  const domain = ['Domn/Cd', 'Domn/Fmly/Cd', 'Domn/Fmly/SubFmlyCd'].map((path) => textAt(code, path));
  const text = domain[0] === null ? textAt(code, 'Prtry/Cd') : domain.filter((part) => part).join('/');
  return text === null ? null : nameOf(text);
}

/** @throws StatementRefusal field_missing, field_invalid */
export function directionOf(node: XmlNode): Direction {
  const text = textAt(node, 'CdtDbtInd');
  if (text === 'CRDT') return 'credit';
  if (text === 'DBIT') return 'debit';
  if (text === null) throw missing(`${node.name}/CdtDbtInd`, node.line);
  throw new StatementRefusal('field_invalid', `"${shown(text)}" is neither CRDT nor DBIT`, node.line);
}

/** A date, or the date of an instant as the bank writes it, in its own time. */
export function dateAt(node: XmlNode | undefined, path: string): string | null {
  const found = path === '' ? node : at(node, path);
  const text = textAt(found, 'Dt', 'DtTm') ?? (found?.text.trim() || null);
  if (found === undefined || text === null) return null;
  const date = text.slice(0, 10);
  if (!isIsoDate(date)) {
    throw new StatementRefusal('date_invalid', `"${shown(text)}" is not a date`, found.line);
  }
  return date;
}

/** Both forms of a boolean in XML Schema. */
export function isTrue(text: string | null): boolean {
  return text === 'true' || text === '1';
}

export function missing(what: string, line: number): StatementRefusal {
  return new StatementRefusal('field_missing', `${what} is missing`, line);
}

type ReadDetail = TransactionDetails & { readonly sameWay: boolean };

/**
 * The payments of an entry, whose amounts add up to it. Several are told apart only when each has an amount in the
 * entry's currency, all go the same way and their sum is the entry; otherwise what was booked stays one payment that
 * carries all texts. Where some are listed of more, it carries none of theirs: the sum would be taken for what one of them paid.
 * @param read amounts of -1 are unknown
 */
function settleDetails(
  read: readonly ReadDetail[],
  amountMinor: bigint,
  {
    count,
    ...entry
  }: {
    readonly kind: TransactionKind;
    readonly count: bigint;
    readonly paymentInformationId: string | null;
    readonly remittanceText: string | null;
    readonly exchange: CurrencyExchange | null;
  },
): TransactionDetails[] {
  const details = read.map(({ sameWay: _, ...detail }) => detail);
  const [first] = details;
  const divides =
    details.length > 1 &&
    read.every((each) => each.sameWay && each.amountMinor > 0n) &&
    read.reduce((sum, each) => sum + each.amountMinor, 0n) === amountMinor;
  if (divides) return details;
  if (first === undefined || count > BigInt(details.length))
    return [{ ...NO_DETAILS, ...entry, amountMinor }];
  return [details.length === 1 ? { ...first, amountMinor } : merged(details, amountMinor)];
}

function merged(details: readonly TransactionDetails[], amountMinor: bigint): TransactionDetails {
  const common = <T>(of: (detail: TransactionDetails) => T): T | null => {
    const values = new Set(details.map(of));
    const [value] = values;
    return values.size === 1 && value !== undefined ? value : null;
  };
  return {
    kind: details.some((each) => each.kind === 'return')
      ? 'return'
      : (common((each) => each.kind) ?? 'payment'),
    amountMinor,
    endToEndId: common((each) => each.endToEndId),
    uetr: common((each) => each.uetr),
    instructionId: common((each) => each.instructionId),
    paymentInformationId: common((each) => each.paymentInformationId),
    detailReference: common((each) => each.detailReference),
    structuredReferences: [...new Set(details.flatMap((each) => each.structuredReferences))].slice(0, 100),
    remittanceText: remittanceOf([...new Set(details.map((each) => each.remittanceText))]),
    counterpartyName: common((each) => each.counterpartyName),
    counterpartyAccount: common((each) => each.counterpartyAccount),
    creditedAccount: common((each) => each.creditedAccount),
    returnReason: common((each) => each.returnReason),
    originalReference: common((each) => each.originalReference),
    exchange: details[0]?.exchange ?? null,
  };
}
