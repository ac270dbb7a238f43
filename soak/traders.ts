import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Client, isOpen } from './client.ts';
import type { Gate } from './gate.ts';
import type { Random } from './random.ts';
import type { Report } from './report.ts';

export const CURRENCIES = ['USD', 'EUR', 'GBP'] as const;
export type Currency = (typeof CURRENCIES)[number];

/** A trade that the service has told of. */
export interface Acknowledged {
  readonly transactionId: string;
  readonly quoteId: string;
  readonly reference: string;
  readonly sellCurrency: string;
  readonly sellAmount: string;
  readonly buyCurrency: string;
  readonly buyAmount: string;
}

export interface Customer {
  readonly customerId: string;
  readonly name: string;
  readonly preFunded: boolean;
  /** Where the customer pays from. */
  readonly account: string;
  readonly client: Client;
}

/** What customers are permitted; the short ones are executed at the last moment. */
export const VALIDITIES = [2, 60] as const;
const [SHORT_SECONDS, LONG_SECONDS] = VALIDITIES;

/** A customer who trades at random, and remembers each thing that was told. */
export class Trader {
  readonly customer: Customer;
  readonly acknowledged: Acknowledged[] = [];
  /** Quotes of which the service said that they were not executed. */
  readonly refused = new Set<string>();
  readonly #gate: Gate;
  readonly #random: Random;
  readonly #report: Report;
  readonly #onTrade: (customer: Customer, trade: Acknowledged) => void;
  readonly #late: Promise<void>[] = [];
  #stopped = false;

  constructor(options: {
    readonly customer: Customer;
    readonly gate: Gate;
    readonly random: Random;
    readonly report: Report;
    readonly onTrade: (customer: Customer, trade: Acknowledged) => void;
  }) {
    this.customer = options.customer;
    this.#gate = options.gate;
    this.#random = options.random;
    this.#report = options.report;
    this.#onTrade = options.onTrade;
  }

  stop(): void {
    this.#stopped = true;
  }

  async run(): Promise<void> {
    while (!this.#stopped) {
      await this.#gate.through(() => this.#act());
      await sleep(20 + 300 * this.#random.next());
    }
    await Promise.all(this.#late);
  }

  async #act(): Promise<void> {
    const { customer } = this;
    if (customer.preFunded && this.#random.chance(0.06)) return this.#withdraw();
    const quote = await this.#quote();
    if (quote === undefined) return;
    const what = this.#random.next();
    if (what < 0.1) return this.#cancel(quote.body.quoteId);
    if (what < 0.2) return;
    if (quote.body.validitySeconds === SHORT_SECONDS) {
      // Beside the others: it waits until the last moment.
      this.#late.push(this.#gate.through(() => this.#lastMoment(quote)));
      return;
    }
    if (what < 0.35) await this.#twice(quote);
    else await this.#execute(quote.body.quoteId, this.#random.chance(0.7) ? randomUUID() : undefined);
  }

  async #quote(): Promise<Answer | undefined> {
    const sell = this.#random.pick(CURRENCIES);
    const buy = this.#random.pick(CURRENCIES.filter((each) => each !== sell));
    // The last three digits stand for drills of the sandbox, which has no part in this.
    const amount = `${this.#random.between(1, 40)}${this.#random.between(100, 899)}.${this.#random.between(10, 99)}`;
    const call = {
      method: 'POST',
      path: '/v1/customer/quotes',
      body: {
        sellCurrency: sell,
        buyCurrency: buy,
        fixedSide: this.#random.pick(['sell', 'buy']),
        amount,
        validitySeconds: this.#random.chance(0.15) ? SHORT_SECONDS : LONG_SECONDS,
      },
      ...(this.#random.chance(0.5) ? { key: randomUUID() } : {}),
    };
    const answer =
      call.key === undefined
        ? await this.customer.client.once(call)
        : await this.customer.client.settled(call);
    return answer?.status === 201 ? answer : undefined;
  }

  async #cancel(quoteId: string): Promise<void> {
    const answer = await this.customer.client.settled({
      method: 'POST',
      path: `/v1/customer/quotes/${quoteId}/cancel`,
    });
    if (answer.status === 200) this.#report.count('quotes cancelled');
  }

  /** Two at the same time under one key, or two without: one trade. */
  async #twice(quote: Answer): Promise<void> {
    const key = this.#random.chance(0.5) ? randomUUID() : undefined;
    const { quoteId } = quote.body;
    this.#report.count('executions sent twice');
    await Promise.all([this.#execute(quoteId, key), this.#execute(quoteId, key)]);
  }

  /** Sent 20 to 250 ms before it expires, as late as a caller can be sure to be in time. */
  async #lastMoment(quote: Answer): Promise<void> {
    const waitMs = quote.body.validForMs - this.#random.between(20, 250);
    await sleep(Math.max(0, waitMs));
    this.#report.count('executions at the last moment');
    // Under a key, since the service keeps with it when it arrived.
    await this.#execute(quote.body.quoteId, randomUUID());
  }

  async #execute(quoteId: string, key: string | undefined): Promise<void> {
    const path = `/v1/customer/quotes/${quoteId}/execute`;
    const call = { method: 'POST', path, ...(key === undefined ? {} : { key }) };
    const answer = key === undefined ? await this.#unkeyed(call) : await this.customer.client.settled(call);
    if (answer.status === 201) this.#reported(answer.body);
    else if (answer.body?.code === 'quote_already_executed') await this.#found(answer.body.transactionId);
    else this.refused.add(quoteId);
  }

  /** Without a key the same may be asked again: the quote is executed once. */
  async #unkeyed(call: { readonly method: string; readonly path: string }): Promise<Answer> {
    for (;;) {
      const answer = await this.customer.client.once(call);
      if (answer !== undefined && !isOpen(answer)) return answer;
      this.#report.count('executions whose answer was lost');
      await sleep(300);
    }
  }

  async #found(transactionId: string): Promise<void> {
    const path = `/v1/customer/transactions/${transactionId}`;
    const { status, body } = await this.customer.client.settled({ method: 'GET', path });
    if (status === 200) this.#reported(body);
    else this.#report.violation('what the service names is there', `${path}: ${status}`);
  }

  #reported(body: Answer['body']): void {
    const trade: Acknowledged = {
      transactionId: body.transactionId,
      quoteId: body.quoteId,
      reference: body.reference,
      sellCurrency: body.sellCurrency,
      sellAmount: body.sellAmount,
      buyCurrency: body.buyCurrency,
      buyAmount: body.buyAmount,
    };
    const known = this.acknowledged.find(({ quoteId }) => quoteId === trade.quoteId);
    if (known === undefined) {
      this.acknowledged.push(trade);
      this.#onTrade(this.customer, trade);
    } else if (JSON.stringify(known) !== JSON.stringify(trade)) {
      this.#report.violation(
        'a trade is told of in one way',
        `${JSON.stringify(known)} ${JSON.stringify(trade)}`,
      );
    }
  }

  async #withdraw(): Promise<void> {
    const { client } = this.customer;
    const { body } = await client.settled({ method: 'GET', path: '/v1/customer/balances' });
    const rich = (body?.items ?? []).filter((each: { available: string }) => each.available.length > 7);
    if (rich.length === 0) return;
    const { currency } = this.#random.pick(rich as { currency: string }[]);
    const amount = `${this.#random.between(10, 900)}.${this.#random.between(10, 99)}`;
    const answer = await client.settled({
      method: 'POST',
      path: '/v1/customer/balances/withdrawals',
      body: { currency, amount },
    });
    if (answer.status === 201) this.#report.count('withdrawals');
  }
}
