import { currencyOf, isForeignCurrency } from './amount.ts';
import { FIELD_LINES_MAX, FORWARD_MAX, LINE_LENGTH_MAX } from './limits.ts';
import {
  type Field,
  type OpenEntry,
  readBalance,
  readLine,
  readTotal,
  statementEntryOf,
} from './mt940-fields.ts';
import { StatementRefusal, unlessRefused } from './refusal.ts';
import type { Balance, Emit, StatementReader, StatementTotal } from './statement.ts';
import { accountOf, referenceOf } from './text.ts';

/** Only these begin a field: a line of free text may begin with `:12:` as well. */
const TAG = /^:(20|21|25P?|28C?|60[FM]|61|62[FM]|6[45][FM]?|86|34F|13D?|90[DC]|NS|940|942):/;
/** What ends a message: a line with a hyphen, at one bank with letters. A text may hold such a line as well. */
const MAY_BE_END = /^-X{0,3}$/;
/** What ends a message for sure: a hyphen and a brace in an envelope, or the envelope of the next one. */
const IS_END = /^(?:-\}|\{1:)/;
/** The tags that a message begins with. */
const BEGINS = new Set(['20', '940', '942']);
/** Control characters that old transfer programs leave behind: start and end of text, end of file. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const LEFTOVERS = /[\u0001-\u0003\u001a\ufeff]/g;

/** MT940 (statement) and MT942 (interim report) of SWIFT, as banks write them. */
export class Mt940Reader implements StatementReader {
  readonly #emit: Emit;
  readonly #lines: LineCutter;
  #field: Field | undefined;
  #message: OpenMessage | undefined;
  /** A line with a hyphen and what has followed, until it is known what it was. */
  #behindHyphen: string[] | undefined;

  constructor(emit: Emit) {
    this.#emit = emit;
    this.#lines = new LineCutter((line, number) => this.#line(line, number));
  }

  write(text: string): void {
    this.#lines.write(text);
  }

  end(): void {
    this.#lines.end();
    this.#behindHyphen = undefined;
    this.#finishMessage();
  }

  #line(raw: string, number: number): void {
    const text = raw.replaceAll(LEFTOVERS, '');
    const tag = TAG.exec(text)?.[1];
    if (tag !== undefined) {
      this.#resolveHyphen(BEGINS.has(tag), number);
      this.#finishField();
      if (tag === '940' || tag === '942') this.#finishMessage();
      else this.#field = { tag, line: number, lines: [text.slice(tag.length + 2)] };
    } else if (IS_END.test(text)) {
      this.#resolveHyphen(true, number);
      this.#finishMessage();
    } else if (this.#behindHyphen !== undefined) this.#keep(this.#behindHyphen, text, number);
    else if (this.#field !== undefined && MAY_BE_END.test(text.trimEnd())) this.#behindHyphen = [text];
    else if (this.#field !== undefined) this.#keep(this.#field.lines, text, number);
    // Anything else stands between messages: headers and envelopes.
  }

  #keep(lines: string[], text: string, number: number): void {
    lines.push(text);
    if (lines.length > FIELD_LINES_MAX) {
      throw new StatementRefusal('too_large', `a field of more than ${FIELD_LINES_MAX} lines`, number);
    }
  }

  /**
   * What a line with nothing but a hyphen was is known at the next tag: when a message begins, or the file ends, it was
   * the end of the message, and what followed is a header of the next one; otherwise all of it is text of the field.
   */
  #resolveHyphen(wasEnd: boolean, number: number): void {
    const lines = this.#behindHyphen;
    this.#behindHyphen = undefined;
    if (lines === undefined) return;
    if (wasEnd) this.#finishMessage();
    else for (const line of lines) if (this.#field !== undefined) this.#keep(this.#field.lines, line, number);
  }

  #finishField(): void {
    const field = this.#field;
    this.#field = undefined;
    if (field === undefined) return;
    if (field.tag === '20') {
      this.#finishMessage();
      this.#message = newMessage(field);
      return;
    }
    if (this.#message === undefined) {
      throw new StatementRefusal('statement_incomplete', `tag ${field.tag} before tag 20`, field.line);
    }
    this.#take(this.#message, field);
  }

  #take(message: OpenMessage, field: Field): void {
    const [text = ''] = field.lines;
    if (this.#isSetAside(message, field)) return;
    switch (field.tag) {
      case '25':
      case '25P':
        if (message.account !== undefined) throw twice(field);
        message.account = text.trim();
        return;
      case '28':
      case '28C':
        this.#number(message, text.trim());
        return;
      case '60F':
      case '60M':
        if (message.opening !== undefined) throw twice(field);
        message.opening = balanceOf(field, message.currency);
        message.currency ??= message.opening.currency;
        return;
      case '62F':
      case '62M':
        if (message.closing !== undefined) throw twice(field);
        this.#finishEntry(message);
        message.closing = balanceOf(field, message.currency);
        return;
      case '65':
        this.#forward(message, field);
        return;
      case '34F':
        message.isInterim = true;
        if (message.setAside !== undefined) return;
        message.currency ??= currencyOf(text.slice(0, 3), field.line).code;
        return;
      case '90D':
      case '90C':
        this.#finishEntry(message);
        message.isInterim = true;
        if (message.setAside !== undefined) return;
        message.totals.push(readTotal(field));
        if (message.totals.length > 2) throw twice(field);
        return;
      case '61':
        this.#finishEntry(message);
        if (message.closing !== undefined) {
          throw new StatementRefusal('field_invalid', 'tag 61 after the closing balance', field.line);
        }
        message.pending = { entry: readLine(field), narrative: [], more: [] };
        return;
      case '86':
        // After the closing balance it is about the statement.
        if (message.closing === undefined) this.#narrate(message, field.lines, 'narrative');
        return;
      case 'NS':
        this.#narrate(message, field.lines, 'more');
    }
  }

  /** Of a message that is set aside only what names it is read; its entries are counted. */
  #isSetAside(message: OpenMessage, field: Field): boolean {
    if (message.currency === undefined) {
      const currency = foreignCurrency(field);
      if (currency !== undefined) message.setAside ??= { currency, entries: 0 };
    }
    if (message.setAside === undefined) return false;
    if (field.tag === '61') message.setAside.entries += 1;
    return !/^(?:25P?|90[DC]|34F)$/.test(field.tag);
  }

  #forward(message: OpenMessage, field: Field): void {
    const balance = unlessRefused(() => readBalance(field, message.currency));
    if (balance !== undefined && message.forward.length < FORWARD_MAX) message.forward.push(balance);
  }

  #narrate(message: OpenMessage, lines: readonly string[], part: 'narrative' | 'more'): void {
    const texts = message.pending?.[part];
    if (texts === undefined) return;
    for (const line of lines) if (texts.length < FIELD_LINES_MAX) texts.push(line);
  }

  #number(message: OpenMessage, text: string): void {
    const [number = '', page = ''] = text.split('/');
    if (/^\d{1,18}$/.test(number) && !/^0+$/.test(number)) message.number = BigInt(number);
    if (/^\d{1,5}$/.test(page)) message.page = Number.parseInt(page, 10);
  }

  #emitSetAside(message: OpenMessage, aside: { readonly currency: string; readonly entries: number }): void {
    const { line, reference, isInterim } = message;
    const kind = isInterim ? 'report' : 'statement';
    const account = accountOf(message.account);
    if (account === null) throw noAccount(line);
    const statement = { line, kind, account, reference, ...aside } as const;
    this.#emit({ type: 'set_aside', statement: { ...statement, reason: 'currency_unknown' } });
  }

  #begin(message: OpenMessage): void {
    if (message.begun) return;
    message.begun = true;
    // Some banks write the currency behind the account.
    const [, number = '', currency] = /^(.*?)([A-Z]{3})?$/s.exec(message.account ?? '') ?? [];
    const isBehind =
      currency !== undefined && /\d$/.test(number) && (message.currency ?? currency) === currency;
    if (isBehind) message.currency ??= currency;
    const account = accountOf(isBehind ? number : message.account);
    if (account === null) throw noAccount(message.line);
    this.#emit({
      type: 'begin',
      statement: {
        line: message.line,
        kind: message.isInterim ? 'report' : 'statement',
        account,
        currency: message.currency ?? null,
        reference: message.reference,
      },
    });
  }

  #finishEntry(message: OpenMessage): void {
    const pending = message.pending;
    message.pending = undefined;
    if (pending === undefined) return;
    const { entry } = pending;
    if (!message.isInterim && message.opening === undefined) {
      throw new StatementRefusal(
        'statement_incomplete',
        'an entry before the opening balance (tag 60)',
        entry.line,
      );
    }
    this.#begin(message);
    const currency = currencyOf(message.currency ?? '', entry.line);
    this.#emit({ type: 'entry', entry: statementEntryOf(pending, currency) });
  }

  #finishMessage(): void {
    // A tag 20 that is the last field of a message has made one by now.
    if (this.#field !== undefined) this.#finishField();
    const message = this.#message;
    this.#message = undefined;
    if (message === undefined) return;
    if (message.setAside !== undefined) {
      this.#emitSetAside(message, message.setAside);
      return;
    }
    this.#finishEntry(message);
    if (!message.isInterim) {
      const lacks = message.opening === undefined ? 'opening balance (tag 60)' : 'closing balance (tag 62)';
      if (message.opening === undefined || message.closing === undefined) {
        throw new StatementRefusal('statement_incomplete', `the statement has no ${lacks}`, message.line);
      }
    }
    this.#begin(message);
    const { opening = null, closing = null } = message;
    if (message.currency === undefined) {
      throw new StatementRefusal('field_missing', 'the currency of the account is missing', message.line);
    }
    this.#emit({
      type: 'end',
      statement: {
        line: message.line,
        currency: message.currency,
        number: message.number,
        page: message.page,
        from: opening?.date ?? null,
        to: closing?.date ?? null,
        opening,
        closing,
        forward: message.forward,
        totals: message.totals,
      },
    });
  }
}

function noAccount(line: number): StatementRefusal {
  return new StatementRefusal('field_missing', 'the account (tag 25) is missing', line);
}

function twice(field: Field): StatementRefusal {
  return new StatementRefusal('field_invalid', `tag ${field.tag} twice in one statement`, field.line);
}

/** Tags 60M and 62M are balances between the pages of a statement. */
function balanceOf(field: Field, currency: string | undefined): Balance {
  return { ...readBalance(field, currency), ...(field.tag.endsWith('M') ? { isInterim: true } : {}) };
}

/** A message that has begun, and what has been read of it. */
export interface OpenMessage {
  readonly line: number;
  readonly reference: string | null;
  account: string | undefined;
  currency: string | undefined;
  number: bigint | null;
  page: number | null;
  opening: Balance | undefined;
  closing: Balance | undefined;
  forward: Balance[];
  isInterim: boolean;
  /** Code of the currency of an account that cannot be kept, and its entries so far. */
  setAside: { readonly currency: string; entries: number } | undefined;
  begun: boolean;
  pending: OpenEntry | undefined;
  totals: StatementTotal[];
}

export function newMessage(field: Field): OpenMessage {
  return {
    line: field.line,
    reference: referenceOf(field.lines[0]),
    account: undefined,
    currency: undefined,
    number: null,
    page: null,
    opening: undefined,
    closing: undefined,
    forward: [],
    isInterim: false,
    setAside: undefined,
    begun: false,
    pending: undefined,
    totals: [],
  };
}

/** The currency of a balance or limit, when it is none of ours. */
export function foreignCurrency({ tag, lines: [text = ''] }: Field): string | undefined {
  const code = tag === '34F' ? text.slice(0, 3) : /^6[02][FM]$/.test(tag) ? text.slice(7, 10) : undefined;
  return isForeignCurrency(code) ? code : undefined;
}

/** Cuts text that comes in pieces into lines. `\n`, `\r\n` and `\r` end a line; the last one needs no end. */
export class LineCutter {
  readonly #take: (line: string, number: number) => void;
  #rest = '';
  #number = 0;

  constructor(take: (line: string, number: number) => void) {
    this.#take = take;
  }

  write(piece: string): void {
    const text = this.#rest + piece;
    // A carriage return at the very end may be half of `\r\n`.
    const end = text.endsWith('\r') ? text.length - 1 : text.length;
    let from = 0;
    for (let at = 0; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code !== 10 && code !== 13) continue;
      this.#line(text.slice(from, at));
      if (code === 13 && text.charCodeAt(at + 1) === 10) at += 1;
      from = at + 1;
    }
    this.#rest = text.slice(from);
    this.#check(this.#rest);
  }

  end(): void {
    const rest = this.#rest.replace(/\r$/, '');
    if (this.#rest !== '') this.#line(rest);
    this.#rest = '';
  }

  #line(line: string): void {
    this.#number += 1;
    this.#check(line);
    this.#take(line, this.#number);
  }

  #check(line: string): void {
    if (line.length > LINE_LENGTH_MAX) {
      throw new StatementRefusal(
        'text_too_long',
        `a line of more than ${LINE_LENGTH_MAX} characters`,
        this.#number,
      );
    }
  }
}
