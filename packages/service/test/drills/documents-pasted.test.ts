import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { firstTrade, tokens } from '../../src/greeting.ts';
import { sandboxApis } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { type ServiceProcess, startService, temporaryFolder } from '../support/process.ts';
import { paste, skipWithout, withoutWaiting } from '../support/shell.ts';

/** The lines of the documents, pasted section by section in several orders: each ends where the text says. */

const ROOT = join(import.meta.dirname, '../../../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const SANDBOX = readFileSync(join(ROOT, 'docs/sandbox.md'), 'utf8');
const SETTLEMENT = readFileSync(join(ROOT, 'docs/settlement.md'), 'utf8');

/** Shell blocks under a heading. A stream is read until its reader goes, so it is left out. */
function blocks(document: string, heading: string): string[] {
  const [, after = ''] = document.split(`## ${heading}\n`);
  const section = after.split(/^## /m)[0] ?? '';
  const all = [...section.matchAll(/^```sh\b.*\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  assert.ok(all.length > 0, heading);
  return all.filter((text) => !text.includes('curl -sSN'));
}

const [TOKENS = '', ...TRADE] = blocks(README, 'A first trade');
const SECTIONS = {
  trade: TRADE.join(''),
  happen: blocks(SANDBOX, 'Make things happen').join(''),
  money: blocks(SETTLEMENT, 'By hand, in the sandbox').join(''),
  eyes: blocks(SANDBOX, 'Four eyes').join(''),
} as const;
type Section = keyof typeof SECTIONS;

/** The JSON lines that a section prints. */
// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
function answersOf(stdout: string): any[] {
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
}

const ENDS: Readonly<Record<Section, (stdout: string) => void>> = {
  trade: (stdout) => {
    const last = answersOf(stdout).at(-1);
    assert.deepEqual([last.status, last.payout.status], ['settled', 'paid']);
  },
  happen: (stdout) => {
    const [price, moved, waiting, live, real, fast] = answersOf(stdout);
    assert.deepEqual([price.live, waiting.autoDeposit, live.live], [false, false, true]);
    assert.ok(moved.offsetMs >= 3_600_000);
    assert.equal(real.offsetMs, 0);
    assert.deepEqual(fast, { autoDeposit: true, settlement: 'fast' });
  },
  money: (stdout) => {
    const answers = answersOf(stdout);
    const trade = answers.find(({ timeline }) => timeline !== undefined);
    assert.deepEqual([trade.status, trade.payout.status], ['settled', 'paid']);
    assert.match(stdout, new RegExp(`<EndToEndId>${trade.reference}</EndToEndId>`));
    assert.ok(answers.some(({ currencies }) => currencies !== undefined));
    assert.equal(answers.at(-2).offsetMs, 0);
    assert.deepEqual(answers.at(-1), { autoDeposit: true, settlement: 'fast' });
  },
  eyes: (stdout) => {
    const [own, other] = answersOf(stdout);
    assert.equal(own.code, 'second_person_required');
    assert.ok(other.approvalId ?? other.depositId, JSON.stringify(other));
  },
};

async function start(t: TestContext): Promise<{ service: ServiceProcess; preamble: string }> {
  const { url } = await createTestDatabase();
  const service = await startService(t, temporaryFolder(t), { DATABASE_URL: url });
  const preamble = TOKENS.replace('data/sandbox.json', join(service.dataDir, 'sandbox.json'));
  assert.notEqual(preamble, TOKENS);
  return { service, preamble };
}

test('the README shows the lines that a start prints', () => {
  assert.equal(TOKENS, tokens('data/sandbox.json'));
  for (const line of firstTrade().split('\n')) assert.ok(TRADE.join('').includes(line), line);
});

test('the sections end where they say, in whatever order they are pasted', async (t) => {
  if (skipWithout(t, 'bash', 'curl', 'sed', 'grep')) return;
  const { service, preamble } = await start(t);
  const orders: readonly (readonly Section[])[] = [
    ['trade', 'happen', 'money', 'eyes'],
    ['money', 'trade', 'eyes', 'happen', 'trade'],
  ];
  for (const order of orders) {
    for (const section of order) {
      const { stdout, stderr } = await paste(`${preamble}${withoutWaiting(SECTIONS[section])}`, {
        cwd: ROOT,
      });
      assert.equal(stderr, '', section);
      ENDS[section](stdout);
    }
  }
  const { operator } = await sandboxApis(service);
  const read = async (path: string) => (await operator.expect(200, 'GET', `/v1/sandbox/${path}`)).body;
  assert.deepEqual(await read('bank'), { autoDeposit: true, settlement: 'fast' });
  assert.deepEqual(await read('market'), { state: 'open', frozen: [] });
});

test('what goes wrong is shown, instead of leaving a variable empty', async (t) => {
  if (skipWithout(t, 'bash', 'curl', 'sed')) return;
  const { preamble } = await start(t);
  const pasted = async (lines: string) =>
    (await paste(lines, { strict: false }).catch((error) => error)).stderr;
  const noTokens = await pasted(`${preamble}TOKEN=\n${SECTIONS.trade.replaceAll('sleep 12; ', '')}`);
  assert.match(noTokens, /^No quoteId in this answer: \{.*"code":"token_missing"/m);
  assert.match(noTokens, /^No transactionId in this answer: \{/m);
  assert.match(await pasted(preamble.replace('sandbox.json', 'gone.json')), /gone\.json: No such file/);
  const unknown = preamble.replace('"client_id":"%s"', '"client_id":"x%s"');
  assert.match(await pasted(unknown), /^No access_token in this answer: \{"error":"invalid_client"/m);
});
