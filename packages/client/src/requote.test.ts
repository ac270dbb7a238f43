import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeService, json, problem, type Reply } from '../test/support/fake.ts';
import { quoteOf, transactionOf } from '../test/support/quotes.ts';
import { Firmquote } from './client.ts';
import { PriceMovedError, QuoteExpiredError } from './errors.ts';

/** A service with one quote, which has expired, and those that are asked for in its place. It keeps keys. */
class Desk {
  readonly service = new FakeService();
  /** What the next quotes buy. */
  buyAmount = '92000.00';
  readonly #status: string[] = ['expired'];
  readonly #answers = new Map<string, () => Response>();
  readonly keys: string[] = [];

  constructor() {
    const reply: Reply = ({ method, path, headers }) => {
      this.service.replies.push(reply);
      const number = Number.parseInt(/quote_(\d+)/.exec(path)?.[1] ?? '0', 10);
      if (method === 'GET') return json(200, this.#quote(number), { etag: '"v1"' });
      const key = headers.get('idempotency-key') ?? '';
      this.keys.push(key);
      const kept = this.#answers.get(`${path} ${key}`);
      if (kept !== undefined) return kept();
      return path.endsWith('/execute') ? this.#execute(number, path, key) : this.#create(path, key);
    };
    this.service.replies.push(reply);
  }

  get trades(): number {
    return this.#status.filter((each) => each === 'executed').length;
  }

  get quotes(): number {
    return this.#status.length;
  }

  expire(): void {
    this.#status[this.#status.length - 1] = 'expired';
  }

  /** The same program, started again. */
  trade(options: object) {
    const firmquote = new Firmquote(this.service.options());
    return this.service.runtime.run(
      firmquote.quotes.executeOrRequote(quoteOf({ buyAmount: '92000.00' }), { maxWorseBps: 5, ...options }),
    );
  }

  #quote(number: number) {
    const status = this.#status[number - 1] as 'open';
    const transactionId = status === ('executed' as string) ? `txn_${number}` : null;
    return quoteOf({ quoteId: `quote_${number}`, status, transactionId });
  }

  #execute(number: number, path: string, key: string): Response {
    const isOpen = this.#status[number - 1] === 'open';
    if (isOpen) this.#status[number - 1] = 'executed';
    const made = () =>
      isOpen
        ? json(201, transactionOf({ transactionId: `txn_${number}` }))
        : problem('quote_expired', 409, 'new_quote');
    this.#answers.set(`${path} ${key}`, made);
    return made();
  }

  #create(path: string, key: string): Response {
    const number = this.#status.push('open');
    const quote = quoteOf({ quoteId: `quote_${number}`, buyAmount: this.buyAmount });
    this.#answers.set(`${path} ${key}`, () =>
      json(201, quote, {
        'idempotency-replayed': 'true',
        'firmquote-current-status': this.#status[number - 1] ?? '',
      }),
    );
    return json(201, quote);
  }
}

describe('a call whose program ended before its answer, made again under its key', () => {
  for (const [name, options] of [
    ['as an option', { idempotencyKey: 'order-17' }],
    ['as a header', { headers: { 'Idempotency-Key': 'order-17' } }],
    ['as long as a key may be', { idempotencyKey: 'k'.repeat(128) }],
  ] as const) {
    test(`is the same trade, though it was one of a new quote: the key ${name}`, async () => {
      const desk = new Desk();
      const first = await desk.trade(options);
      // The trade counts, whatever its price would be judged by now.
      const again = await desk.trade({ ...options, maxWorseBps: -100 });
      assert.equal(again.transactionId, first.transactionId);
      assert.deepEqual([desk.trades, desk.quotes], [1, 2]);
      assert.ok(desk.keys.every((key) => key !== '' && key.length <= 128));
    });
  }

  test('asks for a new quote where those that it got have ended, and for no more than it may', async () => {
    const desk = new Desk();
    const idempotencyKey = 'order-17';
    desk.buyAmount = '90000.00';
    await assert.rejects(desk.trade({ idempotencyKey }), PriceMovedError);
    // It is open still, and no better.
    await assert.rejects(desk.trade({ idempotencyKey }), PriceMovedError);
    assert.deepEqual([desk.trades, desk.quotes], [0, 2]);
    desk.expire();
    await assert.rejects(desk.trade({ idempotencyKey, maxRequotes: 0 }), QuoteExpiredError);
    desk.buyAmount = '92000.00';
    const { transactionId } = await desk.trade({ idempotencyKey });
    assert.equal((await desk.trade({ idempotencyKey })).transactionId, transactionId);
    assert.deepEqual([desk.trades, desk.quotes], [1, 3]);
  });

  test('under another key, or none, it is another trade', async () => {
    const desk = new Desk();
    await desk.trade({ idempotencyKey: 'order-17' });
    await desk.trade({ idempotencyKey: 'order-18' });
    await desk.trade({});
    assert.equal(desk.trades, 3);
  });
});

describe('the next quote is executed', () => {
  const over = () => json(200, quoteOf({ status: 'expired' }), { etag: '"v1"' });
  const next = (amounts: object) => json(201, quoteOf({ quoteId: 'quote_2', ...amounts }));
  const read = (amounts: object) => json(200, quoteOf({ quoteId: 'quote_2', ...amounts }), { etag: '"v1"' });

  for (const [name, first, amounts, maxWorseBps, isDone] of [
    ['at the same price', {}, {}, 0, true],
    ['at a better one', {}, { buyAmount: '92000.00' }, 0, true],
    ['at the last cent that is permitted', {}, { buyAmount: '91977.82' }, 1, true],
    ['but not a cent below it', {}, { buyAmount: '91977.81' }, 1, false],
    ['with fractions of a basis point', {}, { buyAmount: '91964.02' }, '2.5', true],
    ['but not below those', {}, { buyAmount: '91964.01' }, '2.5', false],
    [
      'at the last cent paid, when buying',
      { fixedSide: 'buy' },
      { fixedSide: 'buy', sellAmount: '100010.00' },
      1,
      true,
    ],
    [
      'but not a cent above it',
      { fixedSide: 'buy' },
      { fixedSide: 'buy', sellAmount: '100010.01' },
      1,
      false,
    ],
  ] as const) {
    test(name, async () => {
      const service = new FakeService();
      service.replies.push(over(), next(amounts), read(amounts), json(201, transactionOf()));
      const firmquote = new Firmquote(service.options({}));
      const work = service.runtime.run(firmquote.quotes.executeOrRequote(quoteOf(first), { maxWorseBps }));
      if (isDone) await work;
      else await assert.rejects(work, PriceMovedError);
      assert.deepEqual(service.seen[2]?.body, { requoteOf: 'quote_1' });
      assert.equal(service.asked.length, isDone ? 4 : 2);
    });
  }
});
