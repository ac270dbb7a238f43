import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { readCredentials, sandboxApis } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';
import { startService, temporaryFolder } from '../support/process.ts';
import { paste, skipWithout, withoutWaiting } from '../support/shell.ts';

test('the lines that the start prints, pasted into a shell, end in a settled trade', async (t) => {
  if (skipWithout(t, 'bash', 'curl', 'sed')) return;
  const { url } = await createTestDatabase();
  // Whatever signs the folder's name has.
  const dataDir = join(temporaryFolder(t), `somebody's "data"`);
  const service = await startService(t, dataDir, {
    DATABASE_URL: url,
    FIRMQUOTE_ACCESS_LOG: 'all',
    FIRMQUOTE_LOG_LEVEL: 'trace',
  });
  const [, lines = ''] = service.stdout().split('to paste into another terminal:\n\n');
  const [shown = '', rest = ''] = lines.split(/(?<=^sleep 12; .*\n)/m);
  assert.ok(shown.includes('sleep 12; '), 'the lines wait for the bank');
  assert.doesNotMatch(rest, /curl/);

  const { operator } = await sandboxApis(service);
  const { stdout, stderr } = await paste(`${withoutWaiting(shown)}\necho "$TOKEN"`);
  assert.equal(stderr, '');
  const [indicative, quoteId, quote, transactionId, settled, token] = stdout.split('\n') as string[];
  assert.equal(JSON.parse(indicative ?? '').type, 'indicative');
  assert.equal(JSON.parse(quote ?? '').quoteId, quoteId);
  assert.equal(JSON.parse(quote ?? '').status, 'open');
  const trade = JSON.parse(settled ?? '');
  assert.equal(trade.transactionId, transactionId);
  assert.equal(trade.status, 'settled');
  assert.equal(trade.payout.status, 'paid');
  assert.equal(trade.buyAmount, JSON.parse(quote ?? '').buyAmount);

  const file = readCredentials(dataDir);
  const { stdout: log, stderr: errors } = await service.end('SIGTERM');
  assert.match(log, /"path":"\/oauth\/token"/, 'the log saw all of it');
  for (const secret of [
    file.customer.clientSecret,
    file.operator.clientSecret,
    operator.token,
    token ?? '',
  ]) {
    assert.ok(secret.length > 20);
    assert.ok(!`${log}${errors}`.includes(secret), 'no secret is written anywhere');
  }
});
