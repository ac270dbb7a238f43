import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { add } from '@firmquote/client/money';
import { startDesk } from '../../packages/client/test/support/service.ts';

const EXAMPLES = resolve(import.meta.dirname, '..');
const { service, firmquote, sandbox } = await startDesk();
const folder = mkdtempSync(join(tmpdir(), 'firmquote-examples-'));
after(() => rmSync(folder, { recursive: true, force: true }));

// Deposits come when a test lets them.
before(() => sandbox.setSandboxBank({ autoDeposit: false }));

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs an example to its end; `seen` is told of what it has printed so far. */
async function run(
  name: string,
  args: readonly string[],
  seen: (
    stdout: string,
    child: { kill(signal: 'SIGINT'): void; answer(text: string): void },
  ) => void = () => {},
  environment: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const { clientId, clientSecret } = service.sandbox.customer;
  const child = spawn(process.execPath, [join(EXAMPLES, `${name}.ts`), ...args], {
    env: {
      ...process.env,
      FIRMQUOTE_BASE_URL: service.baseUrl,
      FIRMQUOTE_AUDIENCE: service.sandbox.audience,
      FIRMQUOTE_CLIENT_ID: clientId,
      FIRMQUOTE_CLIENT_SECRET: clientSecret,
      ...environment,
    },
  });
  const output = { stdout: '', stderr: '' };
  let isKilled = false;
  const controls = {
    // Once, as by one Ctrl-C: a second one ends an example that is ending.
    kill: (signal: 'SIGINT') => {
      if (!isKilled) child.kill(signal);
      isKilled = true;
    },
    answer: (text: string) => child.stdin.end(text),
  };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output[stream] += text;
      seen(output.stdout, controls);
    });
  }
  const [code] = await once(child, 'close');
  assert.ok(!`${output.stdout}${output.stderr}`.includes(clientSecret), 'no secret is printed');
  return { code, ...output };
}

test('the pricing screen shows what can be dealt on', async () => {
  const { code, stdout, stderr } = await run('pricing-screen', ['eurusd', 'USDJPY'], (text, child) => {
    if (text.includes('EURUSD') && text.includes('USDJPY')) child.kill('SIGINT');
  });
  assert.deepEqual([code, stderr], [0, '']);
  for (const line of stdout.trim().split('\n')) {
    const price = JSON.parse(line);
    assert.ok(['EURUSD', 'USDJPY'].includes(price.pair));
    assert.ok(price.tradable && price.bid < price.ask, line);
  }
});

test('quote and hedge trades once, and keeps the margin', async () => {
  const args = ['USD', 'EUR', '5000.00', '--margin', '50', '--reference', 'HEDGE-1', '--yes'];
  const { code, stdout, stderr } = await run('quote-and-hedge', args);
  assert.deepEqual([code, stderr], [0, '']);
  const reported = JSON.parse(stdout);
  const [trade, ...more] = await firmquote.transactions
    .list({ clientReference: 'HEDGE-1' })
    .toArray({ limit: 5 });
  assert.ok(trade !== undefined && more.length === 0);
  assert.deepEqual(
    [reported.transactionId, reported.sold, reported.bought, reported.reference],
    [trade.transactionId, '5000.00 USD', `${trade.buyAmount} EUR`, trade.reference],
  );
  const [promised, margin] = [reported.promised.split(' ')[0], reported.margin.split(' ')[0]];
  assert.equal(add(promised, margin), trade.buyAmount);
  const expected = Number(trade.buyAmount) * 0.005;
  assert.ok(Math.abs(Number(margin) - expected) <= 0.01, `${margin} of ${trade.buyAmount}`);
});

test('who declines has not traded, and the quote is cancelled', async () => {
  const { code, stdout, stderr } = await run('quote-and-hedge', ['USD', 'EUR', '77.00'], (_, child) =>
    child.answer('n\n'),
  );
  assert.deepEqual([code, stdout], [0, '']);
  assert.match(
    stderr,
    /^77\.00 USD for \d+\.\d\d EUR, good for \d+ s\. Accept\? \[y\/N\] Nothing was traded/,
  );
  const [quote] = await firmquote.quotes.list().toArray({ limit: 1 });
  assert.deepEqual([quote?.sellAmount, quote?.status], ['77.00', 'cancelled']);
});

test('the settlement monitor sees a trade settle, and starts again where it was', async () => {
  const request = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '300.00' } as const;
  const { transactionId } = await firmquote.quotes.execute(await firmquote.quotes.create(request));
  // Of the other tests, so that nothing else is under way.
  for (const other of await firmquote.transactions
    .list({ status: 'awaiting_funds' })
    .toArray({ limit: 20 })) {
    if (other.transactionId !== transactionId) await settle(other.transactionId);
  }
  const state = join(folder, 'last-event');
  let isPaid = false;
  const args = ['--until-settled', '--state', state];
  const { code, stdout } = await run('settlement-monitor', args, (text) => {
    if (isPaid || !text.includes(`${transactionId}  awaiting_funds`)) return;
    isPaid = true;
    settle(transactionId).catch((error) => assert.fail(error));
  });
  assert.equal(code, 0);
  const lines = stdout.split('\n').filter((line) => line.includes(transactionId));
  assert.match(lines[0] ?? '', /awaiting_funds {2}300\.00 USD due by 20/);
  assert.match(lines.at(-1) ?? '', / {2}settled/);
  const [last] = (await firmquote.events.list().toArray({ limit: 1_000 })).slice(-1);
  assert.equal(readFileSync(state, 'utf8'), `${last?.eventId}\n`);
  assert.deepEqual(await run('settlement-monitor', args), { code: 0, stdout: '', stderr: '' });
});

test('the settlement monitor does not take the end of a quote for that of its trade', async () => {
  const { lastEventId } = await firmquote.events.list({ after: 'latest' });
  const request = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '310.00' } as const;
  const { transactionId } = await firmquote.quotes.execute(await firmquote.quotes.create(request));
  // What it reads first is `quote.executed` of the only trade that is under way.
  const state = join(folder, 'before-the-trade');
  writeFileSync(state, `${lastEventId}\n`);
  let isPaid = false;
  const { code, stdout } = await run('settlement-monitor', ['--until-settled', '--state', state], (text) => {
    if (isPaid || !text.includes(`${transactionId}  awaiting_funds\n`)) return;
    isPaid = true;
    settle(transactionId).catch((error) => assert.fail(error));
  });
  assert.equal(code, 0);
  const statuses = stdout.split('\n').flatMap((line) => line.split(`${transactionId}  `)[1] ?? []);
  assert.doesNotMatch(stdout, /executed/);
  assert.equal(statuses.at(-1)?.trim(), 'settled', stdout);
});

async function settle(transactionId: string): Promise<void> {
  await sandbox.triggerSandboxEvent(transactionId, 'deposit');
  await sandbox.triggerSandboxEvent(transactionId, 'settle');
}

test('the reconciliation run finds what differs', async () => {
  const from = new Date().toISOString();
  const book = [];
  for (const clientReference of ['R-1', 'R-2', 'R-3']) {
    const quote = await firmquote.quotes.create({
      ...{ sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '250.00' },
    });
    const { transactionId, sellAmount, buyAmount } = await firmquote.quotes.execute(quote, {
      clientReference,
    });
    await settle(transactionId);
    book.push({
      clientReference,
      sellAmount,
      sellCurrency: 'USD',
      buyAmount,
      buyCurrency: 'EUR',
      paid: '250.00',
    });
  }
  const file = join(folder, 'book.json');
  const args = [file, '--from', from, '--to', new Date(Date.now() + 60_000).toISOString()];
  writeFileSync(file, JSON.stringify(book));
  assert.deepEqual(await run('reconciliation', args), {
    code: 0,
    stdout: '',
    stderr: 'Your book and the service agree, for 3 trades in your book.\n',
  });

  const [first, second] = book;
  const wrong = [
    { ...first, buyAmount: '1.00' },
    { ...second, paid: '0.00' },
    { ...first, clientReference: 'R-4' },
  ];
  writeFileSync(file, JSON.stringify(wrong));
  const { code, stdout } = await run('reconciliation', args);
  assert.equal(code, 1);
  const found = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    found.map(({ difference, clientReference }) => `${clientReference} ${difference}`),
    ['R-1 bought', 'R-2 paid', 'R-3 not_in_your_book', 'R-4 not_traded'],
  );
  assert.deepEqual([found[0].yours, found[0].theirs], ['1.00 EUR', `${first?.buyAmount} EUR`]);
});

test('what is wrong is said with the next step, and without the secret', async () => {
  const wrong = { FIRMQUOTE_CLIENT_SECRET: 'not-the-secret-of-anybody' };
  const programs = [
    ['pricing-screen'],
    ['quote-and-hedge', 'USD', 'EUR', '5.00', '--yes'],
    ['settlement-monitor'],
    [
      'reconciliation',
      join(folder, 'book.json'),
      '--from',
      '2026-01-01T00:00:00Z',
      '--to',
      '2026-02-01T00:00:00Z',
    ],
  ] as const;
  const runs = programs.map(async ([name, ...args]) => {
    const { code, stdout, stderr } = await run(name, args, undefined, wrong);
    assert.deepEqual([code, stdout], [1, ''], name);
    assert.equal(stderr.trim().split('\n').length, 2, stderr);
    assert.ok(!stderr.includes(wrong.FIRMQUOTE_CLIENT_SECRET), stderr);
  });
  await Promise.all(runs);
});
