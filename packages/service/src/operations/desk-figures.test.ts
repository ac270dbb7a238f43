import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Registry } from '@prometheus-io/client';
import { DeskFigures, type Waiting } from './desk-figures.ts';
import { counter } from './families.ts';

const WAITING: Waiting = {
  deposits: new Map([['unmatched', 3]]),
  exceptions: new Map([['excess', 2]]),
  transactions: new Map([['settling', 5]]),
  approvals: new Map([['unwind', 1]]),
};

async function textOf(read: () => Promise<Waiting>): Promise<{ texts: string[]; reads: number }> {
  const registry = new Registry();
  let reads = 0;
  new DeskFigures(registry).watchWork(() => {
    reads++;
    return read();
  });
  return { texts: [await registry.metrics(), await registry.metrics()], reads };
}

test('what waits is read once for all levels, however many ask', async () => {
  const { texts, reads } = await textOf(async () => WAITING);
  for (const text of texts) {
    assert.match(text, /^firmquote_deposits_waiting\{status="unmatched"\} 3$/m);
    assert.match(text, /^firmquote_exceptions_open\{type="excess"\} 2$/m);
    assert.match(text, /^firmquote_transactions_waiting\{work="settling"\} 5$/m);
    assert.match(text, /^firmquote_approvals_pending\{kind="unwind"\} 1$/m);
  }
  assert.equal(reads, 1);
});

test('without a database there is no level rather than an old one, and the other figures are there', async () => {
  const { texts } = await textOf(() => Promise.reject(new Error('away')));
  assert.doesNotMatch(texts[0] ?? '', /^firmquote_(deposits_waiting|exceptions_open)\{/m);
  assert.match(texts[0] ?? '', /^# TYPE firmquote_trades_total counter$/m);
});

test('a counter that is not named like one is refused', () => {
  const family = { registry: new Registry(), name: 'firmquote_trades', help: 'x', labelNames: [] };
  assert.throws(() => counter(family, () => []), /end in _total/);
});

test('what trades are worth is added up to the cent', async () => {
  const registry = new Registry();
  const figures = new DeskFigures(registry);
  figures.executed('created', { pair: 'EURUSD', usdMinor: 108_497n });
  figures.executed('created', { pair: 'EURUSD', usdMinor: 3n });
  figures.executed('known');
  assert.match(await registry.metrics(), /^firmquote_traded_usd_total\{pair="EURUSD"\} 1085$/m);
});

test('a sweep whose first run never ends is shown, and how often each runs', async () => {
  const registry = new Registry();
  const desk = new DeskFigures(registry);
  desk.watchSweeps([
    { name: 'stuck', everyMs: 0 },
    { name: 'hourly', everyMs: 3_600_000 },
  ]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  const text = await registry.metrics();
  assert.match(text, /^firmquote_sweep_idle_seconds\{sweep="stuck"\} 0\.0*[1-9]/m);
  // It is not due yet.
  assert.match(text, /^firmquote_sweep_idle_seconds\{sweep="hourly"\} 0$/m);
  assert.match(text, /^firmquote_sweep_every_seconds\{sweep="hourly"\} 3600$/m);
  assert.match(text, /^firmquote_sweep_runs_total\{sweep="hourly"\} 0$/m);
});

test('the first fault is an increase: what alarms wait for is shown before it comes', async () => {
  const registry = new Registry();
  const desk = new DeskFigures(registry);
  const faults = /^firmquote_refusals_total\{code="internal_error",status="500"\} (\d+)$/m;
  assert.equal(faults.exec(await registry.metrics())?.[1], '0');
  desk.refused('internal_error', 500);
  assert.equal(faults.exec(await registry.metrics())?.[1], '1');
});
