import { amountOf, currencyOf, isForeignCurrency } from './amount.ts';
import {
  dateAt,
  directionOf,
  isTrue,
  missing,
  type RawTransaction,
  readNtry,
  readTxDtls,
} from './camt-entry.ts';
import { DETAILS_MAX, FORWARD_MAX } from './limits.ts';
import { StatementRefusal, shown, unlessRefused } from './refusal.ts';
import type { Balance, Emit, StatementKind, StatementReader, WholeStatement } from './statement.ts';
import { accountOf, referenceOf } from './text.ts';
import { all, at, textAt, type XmlHandler, type XmlNode, XmlTrees } from './xml.ts';

/** Any version of the three messages; what they have in common has kept its names since the second. */
const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:camt\.05[234]\.001\.(\d{2})$/;
const MESSAGES: Readonly<Record<string, { readonly kind: StatementKind; readonly part: string }>> = {
  BkToCstmrStmt: { kind: 'statement', part: 'Stmt' },
  BkToCstmrAcctRpt: { kind: 'report', part: 'Rpt' },
  BkToCstmrDbtCdtNtfctn: { kind: 'notification', part: 'Ntfctn' },
};

interface OpenStatement {
  readonly line: number;
  header: Map<string, XmlNode>;
  balances: XmlNode[];
  details: RawTransaction[];
  begun: boolean;
  currency: string | null;
  /** Code of the currency of an account that cannot be kept, and its entries so far. */
  setAside: { readonly currency: string; entries: number } | undefined;
}

const NOTHING_READ = { begun: false, currency: null, setAside: undefined } as const;

/** camt.052, camt.053 and camt.054 (ISO 20022), versions 001.02 and later. */
export class CamtReader implements StatementReader, XmlHandler {
  readonly namespaces = NAMESPACE;
  readonly what = 'a camt.052, camt.053 or camt.054 document';
  readonly #xml = new XmlTrees(this);
  readonly #emit: Emit;
  #message: { readonly kind: StatementKind; readonly part: string } | undefined;
  #created: string | null = null;
  #open: OpenStatement | undefined;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  write(text: string): void {
    this.#xml.write(text);
  }

  end(): void {
    this.#xml.end();
  }

  open(path: readonly string[], line: number): void {
    if (path.length === 2) {
      this.#created = null;
      this.#message = MESSAGES[path[1] ?? ''];
      if (this.#message === undefined) {
        throw new StatementRefusal('format_unknown', `<${shown(path[1] ?? '')}> is not a statement`, line);
      }
    }
    if (path.length === 3 && path[2] === this.#message?.part) {
      this.#open = { ...NOTHING_READ, line, header: new Map(), balances: [], details: [] };
    }
  }

  close(path: readonly string[], line: number): void {
    if (path.length === 3 && this.#open !== undefined) {
      this.#finish(this.#open, line);
      this.#open = undefined;
    }
  }

  /** The group header, each part of a statement, and each payment of an entry. */
  keeps(path: readonly string[]): boolean {
    if (path.length === 3) return path[2] !== this.#message?.part;
    if (path.length === 4) return path[2] === this.#message?.part;
    return path.length === 6 && path[3] === 'Ntry' && path[4] === 'NtryDtls' && path[5] === 'TxDtls';
  }

  node(path: readonly string[], node: XmlNode): void {
    const open = this.#open;
    if (open === undefined) {
      if (node.name === 'GrpHdr') this.#created = dateAt(node, 'CreDtTm');
      return;
    }
    if (path.length === 6) {
      if (open.details.length >= DETAILS_MAX) {
        throw new StatementRefusal(
          'too_many_entries',
          `more than ${DETAILS_MAX} payments in one entry`,
          node.line,
        );
      }
      open.details.push(readTxDtls(node));
    } else if (node.name === 'Ntry') this.#entry(open, node);
    else if (node.name === 'Bal') open.balances.push(node);
    else if (!open.header.has(node.name) && open.header.size < 50) open.header.set(node.name, node);
    if (open.balances.length > 1_000) {
      throw new StatementRefusal('too_large', 'more than 1000 balances in one statement', node.line);
    }
  }

  #entry(open: OpenStatement, node: XmlNode): void {
    this.#begin(open, node);
    if (open.setAside !== undefined) {
      open.setAside.entries += 1;
      open.details = [];
      return;
    }
    const created = dateAt(open.header.get('CreDtTm'), '') ?? this.#created;
    const entry = readNtry(node, open.details, created);
    open.details = [];
    open.currency ??= entry.currency;
    this.#emit({ type: 'entry', entry });
  }

  /** @param first the first entry, where there is one */
  #begin(open: OpenStatement, first?: XmlNode): void {
    if (open.begun) return;
    open.begun = true;
    const node = open.header.get('Acct');
    const account = this.#account(open);
    const currency = textAt(node, 'Ccy');
    const code =
      currency ?? open.balances.map((each) => at(each, 'Amt')?.currency)[0] ?? at(first, 'Amt')?.currency;
    if (isForeignCurrency(code)) {
      open.setAside = { currency: code, entries: 0 };
      return;
    }
    open.currency = currency === null ? null : currencyOf(currency, node?.line ?? open.line).code;
    const reference = referenceOf(open.header.get('Id')?.text);
    const kind = this.#message?.kind ?? 'statement';
    this.#emit({
      type: 'begin',
      statement: { line: open.line, kind, account, currency: open.currency, reference },
    });
  }

  #account(open: OpenStatement): string {
    const node = open.header.get('Acct');
    const account = accountOf(textAt(node, 'Id/IBAN', 'Id/Othr/Id', 'Id/PrtryAcct/Id', 'Id/BBAN'));
    if (account === null) throw missing('Acct/Id', node?.line ?? open.line);
    return account;
  }

  #setAside(
    open: OpenStatement,
    { currency, entries }: { readonly currency: string; readonly entries: number },
  ): void {
    const reference = referenceOf(open.header.get('Id')?.text);
    const kind = this.#message?.kind ?? 'statement';
    const account = this.#account(open);
    const statement = { line: open.line, kind, account, currency, reference, entries };
    this.#emit({ type: 'set_aside', statement: { ...statement, reason: 'currency_unknown' } });
  }

  /**
   * The balances between which the entries are all that moved the account. A page of a statement has those of the whole, or
   * at its inner ends the ones between pages (ITBD); without these nothing is known of the page until all are here.
   */
  #balances(open: OpenStatement): {
    readonly opening: Balance | null;
    readonly closing: Balance | null;
    readonly whole?: WholeStatement;
  } {
    const [opening, closing] = [
      balanceOf(open.balances, ['OPBD', 'PRCD']),
      balanceOf(open.balances, ['CLBD']),
    ];
    const pages = pagesOf(open);
    const isFirst = pages === undefined ? opening !== null : countOf(textAt(pages, 'PgNb')) === 1;
    const isLast = pages === undefined ? closing !== null : isTrue(textAt(pages, 'LastPgInd'));
    if (isFirst && isLast) return { opening, closing };
    if (this.#message?.kind !== 'statement') {
      return pages === undefined ? { opening, closing } : { opening: null, closing: null };
    }
    const inner = open.balances
      .filter((each) => codeOf(each) === 'ITBD')
      .map((each): Balance => ({ ...readBalance(each), isInterim: true }));
    const [from, to] = [isFirst ? opening : inner[0], isLast ? closing : inner.at(-1)];
    // Between two others, a page has one at each end.
    const isKnown = from != null && to != null && (isFirst || isLast || inner.length > 1);
    if (isKnown) return { opening: from, closing: to };
    if (pages === undefined) return { opening, closing };
    return { opening: null, closing: null, whole: { isLastPage: isLast, opening, closing } };
  }

  #finish(open: OpenStatement, line: number): void {
    this.#begin(open);
    if (open.setAside !== undefined) {
      this.#setAside(open, open.setAside);
      return;
    }
    const { opening, closing, whole } = this.#balances(open);
    const forward = open.balances
      .filter((each) => codeOf(each) === 'FWAV')
      .slice(0, FORWARD_MAX)
      .flatMap((each) => unlessRefused(() => readBalance(each)) ?? []);
    const [begun, ended] = [balanceOf(open.balances, ['OPBD', 'PRCD']), balanceOf(open.balances, ['CLBD'])];
    const currency = open.currency ?? ended?.currency ?? begun?.currency;
    if (currency === undefined) throw missing('the currency of the account', open.line);
    const page = countOf(textAt(pagesOf(open), 'PgNb'));
    const period = open.header.get('FrToDt');
    this.#emit({
      type: 'end',
      statement: {
        line,
        currency,
        number: numberOf(open.header.get('ElctrncSeqNb')) ?? numberOf(open.header.get('LglSeqNb')),
        page,
        from: dateAt(period, 'FrDtTm') ?? (opening ?? begun)?.date ?? null,
        to: dateAt(period, 'ToDtTm') ?? (closing ?? ended)?.date ?? null,
        opening,
        closing,
        whole,
        forward,
        totals: [],
      },
    });
  }
}

function pagesOf({ header }: OpenStatement): XmlNode | undefined {
  return header.get('StmtPgntn') ?? header.get('NtfctnPgntn') ?? header.get('RptPgntn');
}

function balanceOf(nodes: readonly XmlNode[], codes: readonly string[]): Balance | null {
  for (const code of codes) {
    const node = nodes.find((each) => codeOf(each) === code);
    if (node !== undefined) return readBalance(node);
  }
  return null;
}

function codeOf(balance: XmlNode): string | null {
  return textAt(balance, 'Tp/CdOrPrtry/Cd', 'Tp/Cd');
}

function readBalance(node: XmlNode): Balance {
  const amount = at(node, 'Amt');
  const [date] = all(node, 'Dt');
  if (amount === undefined) throw missing('Bal/Amt', node.line);
  const currency = currencyOf(amount.currency ?? '', amount.line);
  const minor = amountOf(amount.text.trim(), currency, amount.line);
  const day = dateAt(date, '');
  if (day === null) throw missing('Bal/Dt', node.line);
  return { minor: directionOf(node) === 'debit' ? -minor : minor, currency: currency.code, date: day };
}

function numberOf(node: XmlNode | undefined): bigint | null {
  const text = node?.text.trim() ?? '';
  return /^\d{1,18}$/.test(text) && !/^0+$/.test(text) ? BigInt(text) : null;
}

function countOf(text: string | null): number | null {
  return text !== null && /^\d{1,5}$/.test(text) ? Number.parseInt(text, 10) : null;
}
