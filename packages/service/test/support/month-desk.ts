import assert from 'node:assert/strict';
import { fakeAccount } from '@firmquote/sandbox-bank';
import { type Customer, createCustomer, moveClock, succeed } from './acceptance.ts';
import type { Answer, TestService } from './service.ts';

/** What people do in a month: customers trade, operations works its exceptions, finance pays out. */

export const CURRENCIES = ['USD', 'EUR', 'GBP', 'JPY', 'CHF', 'CAD'] as const;
export type MonthCurrency = (typeof CURRENCIES)[number];

export interface Terms {
  readonly sell: MonthCurrency;
  readonly buy: MonthCurrency;
  /** Amount of the sold currency. */
  readonly amount: string;
}

export async function monthCustomer(
  service: TestService,
  name: string,
  seed: string,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<Customer> {
  const customer = await createCustomer(service, { currencies: [], settings });
  await succeed(200, service.operate('PATCH', customer.path, { name }));
  for (const currency of CURRENCIES) {
    const { bankName, bankCountry, bic, iban, accountNumber, routingNumber } = fakeAccount(currency, seed);
    const numbers = { iban, accountNumber, routingNumber };
    const known = Object.fromEntries(Object.entries(numbers).filter(([, number]) => number !== null));
    await succeed(
      201,
      service.operate('POST', `${customer.path}/settlement-instructions`, {
        currency,
        accountHolder: name,
        bankName,
        bankCountry,
        bic,
        ...known,
      }),
    );
  }
  return customer;
}

export async function tradeNow(customer: Customer, terms: Terms): Promise<Answer['body']> {
  const { body: quote } = await customer.quote({
    sellCurrency: terms.sell,
    buyCurrency: terms.buy,
    amount: terms.amount,
  });
  return (await customer.trade(quote.quoteId)).body;
}

/** The operator's calls, which must succeed. */
export function deskOf(service: TestService) {
  const closed = new Set<string>();
  const get = async (path: string) => (await succeed(200, service.operate('GET', path))).body;
  const post = async (status: number, path: string, body?: unknown) =>
    (await succeed(status, service.operate('POST', path, body))).body;
  return {
    get,
    post,
    /** Days on which a currency could not be paid, as `EUR 2026-05-01`. */
    closed,
    at: (instant: string) => moveClock(service, { now: instant }),
    /** Pays out, in every currency, what is released and due by the date. Answers the runs that were made. */
    async payOut(valueDate: string): Promise<Answer['body'][]> {
      const runs: Answer['body'][] = [];
      for (const currency of CURRENCIES) {
        const path = `/v1/operator/settlement-runs/preview?currency=${currency}&valueDate=${valueDate}`;
        const answer = await service.operate('GET', path);
        if (answer.body.code === 'value_date_invalid') {
          // A holiday of the currency.
          closed.add(`${currency} ${valueDate}`);
          continue;
        }
        const { body: preview } = await succeed(200, Promise.resolve(answer));
        assert.deepEqual(preview.excluded, [], 'everybody has an account that can be paid');
        if (preview.paymentCount === 0) continue;
        const run = await post(201, '/v1/operator/settlement-runs', { currency, valueDate });
        const file = await succeed(
          200,
          service.operate('GET', `/v1/operator/settlement-runs/${run.runId}/files/pain.001`),
        );
        assert.match(file.text, /<NbOfTxs>\d+<\/NbOfTxs>/);
        runs.push(await post(200, `/v1/operator/settlement-runs/${run.runId}/mark-sent`));
      }
      return runs;
    },
    /** Every open exception, oldest first. */
    async exceptions(): Promise<Answer['body'][]> {
      const { items, hasMore } = await get('/v1/operator/exceptions?status=open&limit=200');
      assert.equal(hasMore, false);
      return items;
    },
  };
}
export type MonthDesk = ReturnType<typeof deskOf>;
