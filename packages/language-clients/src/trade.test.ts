import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { readCredentials, sandboxApis } from '../../service/test/support/api.ts';
import { createTestDatabase } from '../../service/test/support/database.ts';
import { startService, temporaryFolder } from '../../service/test/support/process.ts';
import { LANGUAGES } from './generate.ts';
import { buildTrade } from './toolchains.ts';

const NAMES = { python: 'Python', go: 'Go', java: 'Java' } as const;
const LIMIT_MS = 240_000;

const built = LANGUAGES.map((language) => ({ name: NAMES[language], ...buildTrade(language) }));

test('generated clients trade', { timeout: LIMIT_MS }, async (t) => {
  const ready = built.flatMap((each) => ('program' in each ? [each] : []));
  for (const each of built) {
    if ('reason' in each) await t.test(`in ${each.name}`, { skip: each.reason }, () => undefined);
  }
  if (ready.length === 0) return;
  const { url } = await createTestDatabase();
  const service = await startService(t, temporaryFolder(t), { DATABASE_URL: url });
  const { customer, operator } = await sandboxApis(service);
  await operator.expect(200, 'POST', '/v1/sandbox/bank', { autoDeposit: false });
  const { customer: client, audience } = readCredentials(service.dataDir);

  for (const { name, program } of ready) {
    await t.test(`in ${name}`, async () => {
      const env = {
        ...process.env,
        FIRMQUOTE_BASE_URL: service.baseUrl,
        FIRMQUOTE_CLIENT_ID: client.clientId,
        FIRMQUOTE_CLIENT_SECRET: client.clientSecret,
        FIRMQUOTE_AUDIENCE: audience,
      };
      const trade = async () =>
        JSON.parse((await promisify(execFile)(program.command, program.args, { env })).stdout);
      const { quoteId, transactionId, refusal, ...reported } = await trade();
      assert.equal(refusal, 'quote_already_executed');
      const trades = async (): Promise<string[]> => {
        const reference = encodeURIComponent(`from ${name}`);
        const path = `/v1/customer/transactions?clientReference=${reference}&sort=createdAt`;
        const { body: page } = await customer.expect(200, 'GET', path);
        return page.items.map((each: { transactionId: string }) => each.transactionId);
      };
      assert.deepEqual(await trades(), [transactionId], 'one trade');
      const { body } = await customer.expect(200, 'GET', `/v1/customer/transactions/${transactionId}`);
      assert.equal(body.quoteId, quoteId);
      assert.deepEqual(reported, {
        sellAmount: '1000.00',
        buyAmount: body.buyAmount,
        status: 'awaiting_funds',
        clientReference: `from ${name}`,
      });
      // What is wanted again is another trade, so its keys are others.
      const again = await trade();
      assert.deepEqual(await trades(), [transactionId, again.transactionId], 'another trade');
    });
  }
});
