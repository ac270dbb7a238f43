import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  announcementAt,
  closingMarginMs,
  EDITING,
  endOf,
  endOfRefusal,
  isBusy,
  next,
  type TicketEvent,
  type TicketState,
} from './machine.ts';

const quote = {
  quoteId: 'quote_1',
  customerId: 'cus_1',
  sellCurrency: 'EUR',
  buyCurrency: 'USD',
  sellAmount: '1.00',
  buyAmount: '1.08',
};
const quoted = { is: 'quoted', quoteKey: 'q', quote, closesAt: 1_000, executeKey: 'k' } as const;

const after = (...events: TicketEvent[]): TicketState => events.reduce(next, EDITING as TicketState);
const firm = [{ is: 'request', quoteKey: 'q' } as const, quoted];

test('from the request to the trade', () => {
  assert.equal(after(...firm).at, 'firm');
  const executing = after(...firm, { is: 'execute', now: 500 });
  assert.equal(executing.at, 'executing');
  assert.deepEqual(
    next(executing, { is: 'ended', executeKey: 'k', end: { as: 'executed', transactionId: 'txn_1' } }),
    {
      at: 'executed',
      quote,
      transactionId: 'txn_1',
    },
  );
});

test('a second press does nothing', () => {
  const executing = after(...firm, { is: 'execute', now: 500 });
  assert.equal(next(executing, { is: 'execute', now: 501 }), executing);
});

test('nothing is sent once the quote has closed', () => {
  assert.equal(after(...firm, { is: 'execute', now: 1_000 }).at, 'expired');
  assert.equal(after(...firm, { is: 'tick', now: 1_000 }).at, 'expired');
});

test('a lost answer leaves the outcome open, under the same key, until it is known', () => {
  const unknown = after(...firm, { is: 'execute', now: 500 }, { is: 'lost', executeKey: 'k' });
  assert.deepEqual(unknown, { at: 'unknown', quote, executeKey: 'k' });
  for (const event of [
    { is: 'request', quoteKey: 'other' },
    { is: 'edit' },
    { is: 'execute', now: 600 },
    { is: 'tick', now: 9_999 },
  ] as const)
    assert.equal(next(unknown, event), unknown);
  assert.equal(
    next(unknown, { is: 'ended', executeKey: 'k', end: { as: 'executed', transactionId: 't' } }).at,
    'executed',
  );
  assert.equal(next(unknown, { is: 'ended', executeKey: 'k', end: { as: 'expired' } }).at, 'expired');
});

test('a firm quote ends with what became of it, and an execution that is under way by its own answer', () => {
  const withdrawn = { as: 'withdrawn', because: 'market_halt' } as const;
  assert.deepEqual(after(...firm, { is: 'over', quoteId: 'quote_1', end: withdrawn }), {
    at: 'withdrawn',
    quote,
    because: 'market_halt',
  });
  const [open, executing] = [after(...firm), after(...firm, { is: 'execute', now: 500 })];
  assert.equal(next(open, { is: 'over', quoteId: 'quote_0', end: withdrawn }), open, 'another quote');
  assert.equal(next(executing, { is: 'over', quoteId: 'quote_1', end: withdrawn }), executing);
});

test('a quote that is found again is firm, or what became of it, unless somebody has gone on', () => {
  const found = { is: 'found', quote, closesAt: 1_000, executeKey: 'k', end: undefined } as const;
  const firmAgain = after(found);
  assert.deepEqual(firmAgain, { at: 'firm', quote, closesAt: 1_000, executeKey: 'k' });
  assert.equal(after({ ...found, end: { as: 'expired' } }).at, 'expired');
  const asking = after({ is: 'request', quoteKey: 'q' });
  assert.equal(next(asking, found), asking);
});

test('what became of a quote is read from what the service says of it', () => {
  const said = (status: string, statusReason: string | null, transactionId: string | null) =>
    endOf({ status, statusReason, transactionId });
  assert.equal(said('open', null, null), undefined);
  assert.equal(said('executed', null, null), undefined);
  assert.deepEqual(said('executed', null, 'txn_1'), { as: 'executed', transactionId: 'txn_1' });
  assert.deepEqual(said('withdrawn', 'market_halt', null), { as: 'withdrawn', because: 'market_halt' });
  assert.deepEqual(said('cancelled', null, null), { as: 'withdrawn', because: 'cancelled' });
  assert.deepEqual(said('expired', null, null), { as: 'expired' });
});

test('a refused execution of a quote that somebody else has executed is a trade', () => {
  const said = (code: string, transactionId?: string) => endOfRefusal(code, transactionId, 'in words');
  assert.deepEqual(said('quote_already_executed', 'txn_1'), { as: 'executed', transactionId: 'txn_1' });
  assert.equal(said('quote_already_executed'), undefined);
  assert.deepEqual(said('quote_expired'), { as: 'expired' });
  assert.deepEqual(said('quote_withdrawn'), { as: 'withdrawn', because: undefined });
  assert.deepEqual(said('quote_cancelled'), { as: 'withdrawn', because: 'cancelled' });
  assert.deepEqual(said('limit_exceeded'), { as: 'rejected', reason: 'in words' });
});

test('an execution is slow after two seconds', () => {
  const executing = after(...firm, { is: 'execute', now: 500 });
  assert.equal((next(executing, { is: 'tick', now: 2_499 }) as { isSlow: boolean }).isSlow, false);
  assert.equal((next(executing, { is: 'tick', now: 2_500 }) as { isSlow: boolean }).isSlow, true);
});

test('answers to requests that were given up are not listened to', () => {
  const again = after(...firm, { is: 'tick', now: 1_000 }, { is: 'request', quoteKey: 'q2' });
  assert.equal(next(again, quoted), again);
  assert.equal(next(again, { is: 'refused', quoteKey: 'q', problem: { text: 'x', isHalted: false } }), again);
});

test('whatever happens, a quote is sent for execution once, and with one key', () => {
  const events = fc.array(
    fc.oneof(
      fc.constantFrom<TicketEvent>(
        { is: 'request', quoteKey: 'q' },
        quoted,
        { is: 'edit' },
        { is: 'lost', executeKey: 'k' },
        { is: 'ended', executeKey: 'k', end: { as: 'executed', transactionId: 't' } },
        { is: 'ended', executeKey: 'k', end: { as: 'rejected', reason: 'no' } },
      ),
      fc.record({ is: fc.constantFrom('execute' as const, 'tick' as const), now: fc.nat({ max: 2_000 }) }),
    ),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(events, (all) => {
      let state: TicketState = EDITING;
      let round = 0;
      const sent: string[] = [];
      for (const event of all) {
        // Each quote has a key of its own, as the page gives it one.
        const given = event.is === 'quoted' ? { ...event, executeKey: `k${round++}` } : event;
        const before = state;
        state = next(state, given);
        if (state.at === 'executing' && before.at !== 'executing') sent.push(state.executeKey);
        if (isBusy(before) && before.at !== 'requesting') assert.notEqual(state.at, 'requesting');
      }
      assert.equal(new Set(sent).size, sent.length);
    }),
    { numRuns: 300 },
  );
});

test('the margin grows with the way', () => {
  assert.deepEqual([closingMarginMs(40), closingMarginMs(900)], [250, 900]);
});

test('the countdown speaks at the start, at 30 s and at 10 s', () => {
  const said: number[] = [];
  let last: number | undefined;
  for (let seconds = 60; seconds >= 0; seconds--) {
    const now = announcementAt(seconds, last);
    if (now === undefined) continue;
    last = now;
    said.push(now);
  }
  assert.deepEqual(said, [60, 30, 10]);
});
