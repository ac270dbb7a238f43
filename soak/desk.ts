import { setTimeout as sleep } from 'node:timers/promises';
import type { Books, Payment } from './bank.ts';
import type { Answer, Client } from './client.ts';
import { isIban, notice, readOrders, rejection, statementFile } from './files.ts';
import type { Payers } from './payers.ts';
import type { Random } from './random.ts';
import type { Report } from './report.ts';
import type { Customer } from './traders.ts';

const STATEMENTS = '/v1/operator/statements';
const RUNS = '/v1/operator/settlement-runs';

/** What operations does all day: bank files, exceptions, payment runs, suspensions, halts. */
export class Desk {
  readonly #operator: Client;
  readonly #second: Client;
  readonly #books: ReadonlyMap<string, Books>;
  readonly #payers: Payers;
  readonly #random: Random;
  readonly #report: Report;
  /** Payments that come back the next day. */
  #comingBack: { readonly books: Books; readonly payment: Payment }[] = [];

  constructor(options: {
    readonly operator: Client;
    readonly second: Client;
    readonly books: ReadonlyMap<string, Books>;
    readonly payers: Payers;
    readonly random: Random;
    readonly report: Report;
  }) {
    this.#operator = options.operator;
    this.#second = options.second;
    this.#books = options.books;
    this.#payers = options.payers;
    this.#random = options.random;
    this.#report = options.report;
  }

  #get(path: string): Promise<Answer> {
    return this.#operator.settled({ method: 'GET', path });
  }

  /** What needs a second person gets one. */
  async #order(path: string, body?: unknown): Promise<Answer> {
    const answer = await this.#operator.settled({
      method: 'POST',
      path,
      ...(body === undefined ? {} : { body }),
    });
    if (answer.status !== 202) return answer;
    this.#report.count('approved by a second person');
    return this.#second.settled({
      method: 'POST',
      path: `/v1/operator/approvals/${answer.body.approvalId}/approve`,
    });
  }

  /** Hands a file of the bank in, now and then twice. */
  async #import(content: string, what: string): Promise<void> {
    const times = this.#random.chance(0.2) ? 2 : 1;
    for (let i = 0; i < times; i++) {
      const { status, text } = await this.#operator.settled({ method: 'POST', path: STATEMENTS, content });
      if (status !== 200 && status !== 201)
        this.#report.violation('every file of the bank is taken in', `${what}: ${status} ${text}`);
    }
    this.#report.count(`files: ${what}`);
    if (times > 1) this.#report.count('files handed in twice');
  }

  /** Books at the bank what has arrived, and tells of it. */
  async report(day: string): Promise<void> {
    for (const books of this.#books.values()) {
      books.book(day);
      const entries = books.report(day);
      if (entries.length === 0) continue;
      await this.#import(notice(books.account, day, entries), 'camt.054');
      // The same entries in a file of other bytes.
      if (this.#random.chance(0.1)) {
        await this.#import(notice(books.account, day, entries), 'camt.054');
        this.#report.count('entries told twice in different files');
      }
    }
  }

  async endOfDay(day: string): Promise<void> {
    for (const books of this.#books.values()) {
      books.book(day);
      const statement = books.close(day);
      const style = books.account.style === 'mt940' ? 'MT940' : 'camt.053';
      await this.#import(statementFile(statement), style);
      if (this.#random.chance(0.15)) {
        await this.#import(statementFile(statement), style);
        this.#report.count('entries told twice in different files');
      }
    }
  }

  /** Yesterday's payments whose receiver could not be found come back. */
  comeBack(day: string): void {
    for (const { books, payment } of this.#comingBack) {
      books.giveBack(payment, day);
      this.#report.count('payments that came back');
    }
    this.#comingBack = [];
  }

  /** A payment file for each currency with something due; the bank does what it orders. */
  async payOut(day: string): Promise<void> {
    for (const [currency, books] of this.#books) {
      const query = `currency=${currency}&valueDate=${day}`;
      const preview = await this.#get(`${RUNS}/preview?${query}`);
      if (preview.status !== 200 || preview.body.paymentCount === 0) continue;
      const run = await this.#order(RUNS, { currency, valueDate: day });
      if (run.status !== 201) {
        this.#report.note(`no run: ${run.text}`);
        continue;
      }
      const path = `${RUNS}/${run.body.runId}`;
      const file = await this.#get(`${path}/files/pain.001`);
      if (this.#random.chance(0.1) && (await this.#order(`${path}/cancel`)).status === 200) {
        this.#report.count('runs cancelled');
        continue;
      }
      const sent = await this.#order(`${path}/mark-sent`);
      if (sent.status !== 200) {
        this.#report.note(`not sent: ${sent.text}`);
        continue;
      }
      this.#report.count('runs sent');
      await this.#execute(books, file.text, day);
    }
  }

  async #execute(books: Books, file: string, day: string): Promise<void> {
    const { messageId, payments } = readOrders(file);
    const refused = payments.filter(({ endToEndId }) => endToEndId !== null && this.#random.chance(0.05));
    const paid = payments.filter((each) => !refused.includes(each));
    books.pay(paid, day);
    this.#report.count('payments ordered', payments.length);
    for (const payment of paid) if (this.#random.chance(0.04)) this.#comingBack.push({ books, payment });
    if (refused.length === 0) return;
    this.#report.count('payments rejected', refused.length);
    await this.#import(
      rejection(
        messageId,
        refused.map(({ endToEndId }) => endToEndId ?? ''),
        day,
      ),
      'pain.002',
    );
  }

  /** Works through open exceptions: what the customer says is done, what nobody knows goes back. */
  async workExceptions(): Promise<void> {
    const { body } = await this.#get('/v1/operator/exceptions?status=open&limit=100');
    for (const each of body.items ?? []) {
      if (each.depositId !== null) await this.#workDeposit(each);
      else if (each.transactionId !== null && each.type === 'payout_mismatch')
        this.#report.count('payout mismatches seen');
    }
    const failed = await this.#get('/v1/operator/transactions?status=settlement_failed&limit=50');
    for (const { transactionId } of failed.body.items ?? []) {
      const { status } = await this.#order(`/v1/operator/transactions/${transactionId}/retry-payout`);
      if (status === 200) this.#report.count('payouts made again');
    }
  }

  async #workDeposit(exception: {
    type: string;
    depositId: string;
    transactionId: string | null;
  }): Promise<void> {
    const path = `/v1/operator/deposits/${exception.depositId}`;
    if (exception.type === 'excess' && exception.transactionId !== null) {
      const { status } = await this.#order(
        `/v1/operator/transactions/${exception.transactionId}/refund-excess`,
      );
      if (status === 200) this.#report.count('excesses given back');
      return;
    }
    if (!['unmatched', 'ambiguous', 'duplicate', 'late', 'wrong_currency'].includes(exception.type)) return;
    const { body: deposit } = await this.#get(path);
    const known = this.#payers.known.get(deposit?.remittanceText ?? '');
    // A trade that has a part of it keeps that; the rest is for the others.
    const parts = new Set((deposit?.allocations ?? []).map((part: Allocated) => part.transactionId));
    const allocations = (known?.transactionIds ?? [])
      .filter((transactionId) => !parts.has(transactionId))
      .map((transactionId) => ({ transactionId }));
    if (allocations.length > 0) {
      const { status } = await this.#order(`${path}/match`, { allocations, reason: 'told by the customer' });
      this.#report.count(status === 200 ? 'deposits matched by hand' : 'matches by hand that were refused');
      if (status === 200) return;
    }
    if (this.#random.chance(0.5)) return;
    const { status } = await this.#order(`${path}/return`, {
      reason: 'nobody knows what it is for',
      ...accountFor(deposit),
    });
    if (status === 200) this.#report.count('deposits returned by hand');
  }

  async suspendForAWhile(customer: Customer): Promise<void> {
    const path = `/v1/operator/customers/${customer.customerId}`;
    const { status } = await this.#order(`${path}/suspend`, { reason: 'a look at their papers' });
    if (status !== 200) return;
    this.#report.count('customers suspended');
    await sleep(this.#random.between(300, 2_000));
    await this.#order(`${path}/resume`);
  }

  async haltForAWhile(): Promise<void> {
    const pair = this.#random.pick(['EURUSD', 'GBPUSD', 'EURGBP']);
    const { status } = await this.#order('/v1/operator/market/halt', {
      scope: 'pair',
      pair,
      reason: 'a strange price',
    });
    if (status !== 200 && status !== 201) return;
    this.#report.count('markets halted');
    await sleep(this.#random.between(300, 1_500));
    await this.#order('/v1/operator/market/resume', { scope: 'pair', pair });
  }
}

interface Allocated {
  readonly transactionId: string | null;
}

/** Where a deposit goes back to, as far as the bank has not told it. */
function accountFor(deposit: { readonly remitterAccount: string | null }): object {
  const { remitterAccount } = deposit;
  if (remitterAccount === null)
    return { account: { accountHolder: 'Their Bank', iban: 'DE89370400440532013000' } };
  return isIban(remitterAccount) ? {} : { account: { bic: 'CHASUS33' } };
}
