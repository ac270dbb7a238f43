import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Home } from './support/command.ts';
import { openTerminal, skipWithoutTerminal } from './support/terminal.ts';
import { startWorld } from './support/world.ts';

/** The command in a real terminal. What it shows stands in docs/command-line.md, as it was shown here. */

const DOCUMENT = join(import.meta.dirname, '../../../docs/command-line.md');
const { service, home, asCustomer, data } = await startWorld();
const ENV = { ...asCustomer, HOME: home.folder };
const QUOTE = ['quote', '--sell', '1m', 'EUR', '--buy', 'USD'];

await service.operate('POST', '/v1/sandbox/clock', { now: '2026-03-04T14:30:00Z' });
await service.operate('POST', '/v1/sandbox/market', { pair: 'EURUSD', bid: '1.08488', ask: '1.08494' });

/** What is another one each time. */
const MASKS: readonly (readonly [RegExp, string])[] = [
  [/\b(quote|txn|cli)_[0-9a-z]{26}\b/g, '$1_01jngx7z5d2m8r4v6t9k3b1c0a'],
  [/2026-03-04 14:\d\d:\d\dZ/g, '2026-03-04 14:30:30Z'],
  [/RF\d{14}/g, 'RF44260304001729'],
  [/^0:\d\d left/gm, '0:29 left'],
  [/http:\/\/127\.0\.0\.1:\d+/g, 'http://127.0.0.1:4000'],
];

/** The screen that the document shows under a name. */
function documented(name: string): string {
  const text = readFileSync(DOCUMENT, 'utf8');
  return new RegExp(`<!-- screen: ${name} -->\n\`\`\`text\n([^]*?)\n\`\`\``).exec(text)?.[1] ?? '';
}

function masked(screen: string): string {
  return MASKS.reduce((text, [pattern, instead]) => text.replaceAll(pattern, instead), screen);
}

const shown = (argv: readonly string[], screen: string) => `$ firmquote ${argv.join(' ')}\n${masked(screen)}`;
const countTransactions = async () => (await data('transactions list --all')).length;

test('a quote is shown with the time that is left, and executed after a yes', async (t) => {
  if (skipWithoutTerminal(t)) return;
  const terminal = openTerminal(t, QUOTE, ENV);
  await terminal.shows(/^0:\d\d left\. Execute\? \[y\/N\]$/m);
  const before = /^(0:\d\d) left/m.exec(terminal.screen())?.[1];
  await terminal.shows(new RegExp(`^(?!${before})0:\\d\\d left`, 'm'));
  terminal.type('yx\u007f');
  await terminal.shows(/\[y\/N\] y$/m);
  terminal.type('\r');
  assert.equal(await terminal.ended(), 0, terminal.screen());
  assert.equal(shown(QUOTE, terminal.screen()), documented('quote'));
  assert.equal(await countTransactions(), 1);
});

test('Ctrl-C in the middle of a quote executes nothing, and says so', async (t) => {
  if (skipWithoutTerminal(t)) return;
  const before = await countTransactions();
  const terminal = openTerminal(t, QUOTE, ENV);
  await terminal.shows(/Execute\?/);
  terminal.type('y\u0003');
  assert.equal(await terminal.ended(), 130, terminal.screen());
  assert.match(terminal.screen(), /Interrupted\. Nothing was executed\.$/);
  assert.equal(await countTransactions(), before);
});

test('no is the answer to Enter alone, and the quote stays open', async (t) => {
  if (skipWithoutTerminal(t)) return;
  const before = await countTransactions();
  const terminal = openTerminal(t, QUOTE, ENV);
  await terminal.shows(/Execute\?/);
  terminal.type('\r');
  assert.equal(await terminal.ended(), 130, terminal.screen());
  assert.match(
    terminal.screen(),
    /Nothing was executed\. The quote is open for 0:\d\d more: firmquote quotes execute quote_/,
  );
  assert.equal(await countTransactions(), before);
});

test('a quote that expires while somebody thinks ends with 6', async (t) => {
  if (skipWithoutTerminal(t)) return;
  // In the sandbox a quote for this amount lives one second.
  const argv = ['quote', '--sell', '1902', 'EUR', '--buy', 'USD'];
  const terminal = openTerminal(t, argv, ENV);
  assert.equal(await terminal.ended(), 6, terminal.screen());
  assert.equal(shown(argv, terminal.screen()), documented('expired'));
});

test('the secret is asked for and not shown', async (t) => {
  if (skipWithoutTerminal(t)) return;
  const { baseUrl, audience, customer } = service.sandbox;
  const argv = ['login', '--base-url', baseUrl, '--audience', audience];
  const terminal = openTerminal(t, argv, { HOME: new Home().folder });
  await terminal.shows(/^Client id:/m);
  terminal.type(`${customer.clientId}\r`);
  await terminal.shows(/^Client secret \(not shown\):/m);
  terminal.type(`${customer.clientSecret}\r`);
  assert.equal(await terminal.ended(), 0, terminal.screen());
  assert.ok(!terminal.raw().includes(customer.clientSecret.slice(0, 12)));
  assert.equal(masked(shown(argv, terminal.screen())), documented('login'));
});

test('prices change in their place', async (t) => {
  if (skipWithoutTerminal(t)) return;
  const argv = ['rates', 'watch', 'EURUSD'];
  const terminal = openTerminal(t, argv, ENV);
  await terminal.shows(/^EURUSD {2}1\.08271/m);
  await service.operate('POST', '/v1/sandbox/market', { pair: 'EURUSD', bid: '1.08588', ask: '1.08594' });
  await terminal.shows(/^EURUSD {2}1\.08370/m);
  terminal.type('\u0003');
  assert.equal(await terminal.ended(), 0, terminal.screen());
  assert.equal(terminal.screen().match(/^EURUSD/gm)?.length, 1);
});
