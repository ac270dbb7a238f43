import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAmounts } from '@firmquote/client/money';
import { startDesk } from './support/service.ts';

const { firmquote, operator, sandbox } = await startDesk();

test('a trade from an estimate to its settlement', async () => {
  const request = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '1000.00' } as const;
  const estimate = await firmquote.quotes.indicative(request);
  assert.equal(estimate.type, 'indicative');
  const quote = await firmquote.quotes.create(request);
  assert.ok(checkAmounts(quote).isRight);
  const left = firmquote.quotes.secondsLeft(quote);
  assert.ok(left > 25 && left <= 30, `${left}`);
  const { data, attempts, idempotencyKey, etag } = await firmquote.quotes
    .execute(quote, { clientReference: 'PO-1' })
    .withResponse();
  assert.equal(attempts, 1);
  assert.match(idempotencyKey ?? '', /^[0-9a-f-]{36}$/);
  assert.equal(data.quoteId, quote.quoteId);
  assert.equal(data.sellAmount, quote.sellAmount);
  assert.ok(etag !== undefined);
  await sandbox.triggerSandboxEvent(data.transactionId, 'deposit');
  const changes: string[] = [];
  const settling = firmquote.transactions.waitFor(data.transactionId, 'settled', {
    onChange: ({ status }) => changes.push(status),
  });
  await sandbox.triggerSandboxEvent(data.transactionId, 'settle');
  assert.equal((await settling).status, 'settled');
  const seen = await operator.getAnyTransaction(data.transactionId);
  assert.equal(seen.clientReference, 'PO-1');
});

test('lists, events and files', async () => {
  const transactions = await firmquote.transactions.list().toArray({ limit: 10 });
  assert.ok(transactions.length >= 1);
  const types = [];
  for await (const event of firmquote.events.list()) types.push(event.type);
  assert.ok(types.includes('transaction.settled'));
  const currencies = await firmquote.reference.currencies();
  assert.ok(currencies.items.length > 10);
  const [first] = transactions;
  assert.ok(first !== undefined);
  const pdf = await firmquote.transactions.confirmation(first.transactionId, { format: 'pdf' });
  assert.equal(new TextDecoder().decode((await pdf.bytes()).slice(0, 5)), '%PDF-');
});

test('prices come', async () => {
  const end = new AbortController();
  const seen = new Set<string>();
  for await (const update of firmquote.prices.stream(
    { pairs: ['EURUSD', 'USDJPY'] },
    { signal: end.signal },
  )) {
    if (update.event === 'price') seen.add(update.data.pair);
    if (seen.size === 2) break;
  }
  const socket = await firmquote.prices.socket();
  socket.subscribe(['EURUSD']);
  for await (const event of socket) {
    if (event.event === 'price') break;
  }
  end.abort();
});
