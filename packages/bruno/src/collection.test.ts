import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { readCredentials } from '../../service/test/support/api.ts';
import { createTestDatabase } from '../../service/test/support/database.ts';
import { startService, temporaryFolder } from '../../service/test/support/process.ts';
import { BRU, COLLECTION, generate, generatedIn, operations } from './generate.ts';

const skip = existsSync(BRU) ? false : 'Bruno is not installed: run node scripts/setup-kits.mjs';
const LIMIT_MS = 240_000;

test('every operation has its request in the collection, and no other', () => {
  const requests = [...generatedIn(COLLECTION).values()].flatMap((text) => {
    const [, method, path] =
      /^(get|put|post|delete|patch) \{\n {2}url: \{\{baseUrl\}\}([^?\n]*)/m.exec(text) ?? [];
    return method === undefined ? [] : [`${method.toUpperCase()} ${path?.replaceAll(/:(\w+)/g, '{$1}')}`];
  });
  assert.deepEqual(requests.sort(), operations().sort(), 'run npm run bruno');
});

test('the generated part is what the document says', { skip }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'firmquote-bruno-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  generate(join(folder, 'collection'));
  assert.deepEqual(generatedIn(COLLECTION), generatedIn(join(folder, 'collection')), 'run npm run bruno');
});

test('the flows pass', { skip, timeout: LIMIT_MS }, async (t) => {
  const { url } = await createTestDatabase();
  const service = await startService(t, temporaryFolder(t), { DATABASE_URL: url });
  const { customer, operator, audience } = readCredentials(service.dataDir);
  const variables = {
    baseUrl: service.baseUrl,
    audience,
    clientId: customer.clientId,
    operatorClientId: operator.clientId,
  };
  const given = Object.entries(variables).flatMap(([name, value]) => ['--env-var', `${name}=${value}`]);
  const env = {
    ...process.env,
    FIRMQUOTE_CLIENT_SECRET: customer.clientSecret,
    FIRMQUOTE_OPERATOR_SECRET: operator.clientSecret,
  };
  const flows = readdirSync(join(COLLECTION, 'flows'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'sign-in')
    .map(({ name }) => name);
  assert.deepEqual(flows.sort(), ['expiry', 'idempotent-retry', 'partial-deposit', 'quote-to-settlement']);
  for (const flow of flows) {
    await t.test(flow, async () => {
      const args = ['run', 'flows/sign-in', `flows/${flow}`, '--env', 'local', ...given, '--bail'];
      const result = await promisify(execFile)(BRU, args, { cwd: COLLECTION, env }).catch((error) => error);
      assert.equal(result.code ?? 0, 0, `${result.stdout}${result.stderr}`);
      assert.ok(!`${result.stdout}${result.stderr}`.includes(customer.clientSecret));
    });
  }
});
