import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseTier, formatDecimal } from '@firmquote/fx';
import { createCustomer } from '../customers/create-customer.ts';
import { type Reply, startTestServer } from '../customers/test-server.ts';
import { customerView } from '../customers/view.ts';

const server = await startTestServer();
const { call, room } = server;
const path = '/v1/operator/spread-rules';

interface Rule {
  ruleId?: string;
  version?: number;
  createdAt?: string;
  [field: string]: unknown;
}

async function put(rules: readonly object[], ifMatch?: string): Promise<Reply> {
  const etag = ifMatch ?? (await call('GET', path)).headers.get('etag') ?? '';
  return call('PUT', path, { body: { rules }, headers: { 'If-Match': etag } });
}

/** A rule as read, in the form in which it is written. */
function editable({ version: _, createdAt: __, ...rule }: Rule): Rule {
  return rule;
}

async function rowsOf(ruleId: string | undefined): Promise<{ version: number; active: boolean }[]> {
  const set = await call('GET', path);
  assert.ok(set.body.rules.some((rule: Rule) => rule.ruleId === ruleId) || ruleId === undefined);
  const { rows } = await server.database.pool.query<{ version: number; active: boolean }>(
    'select version, active from spread_rules where spread_bps <> 77 order by id, version',
  );
  return rows;
}

test('the set is replaced by difference: new, changed, same and left out', async () => {
  const start = await call('GET', path);
  assert.deepEqual(start.body, { version: 1, rules: [] });
  assert.equal(start.headers.get('etag'), '"v1"');

  const first = await put(
    [{ spreadBps: '20' }, { groupName: 'gold', pair: 'EURUSD', spreadBps: '4999.99' }],
    '"v1"',
  );
  assert.equal(first.status, 200, JSON.stringify(first.body));
  assert.equal(first.headers.get('etag'), '"v2"');
  const [standard, gold]: Rule[] = first.body.rules;
  assert.ok(standard && gold);
  assert.equal(standard.spreadBps, '20.00');
  assert.match(standard.ruleId ?? '', /^spr_[0-9a-z]{26}$/);
  assert.deepEqual([standard.version, gold.version], [1, 1]);

  const same = await put(first.body.rules.map(editable));
  assert.equal(same.headers.get('etag'), '"v2"', 'the same set keeps its version');

  const changed = await put([
    { ...editable(standard), spreadBps: '25.5' },
    { pair: 'USDJPY', spreadBps: '1' },
  ]);
  assert.equal(changed.headers.get('etag'), '"v3"');
  assert.deepEqual(
    changed.body.rules.map((rule: Rule) => [rule.pair, rule.spreadBps, rule.version]),
    [
      [null, '25.50', 2],
      ['USDJPY', '1.00', 1],
    ],
  );
  assert.deepEqual(await rowsOf(standard.ruleId), [
    { version: 1, active: false },
    { version: 2, active: true },
    { version: 1, active: false },
    { version: 1, active: true },
  ]);
  const gone = await put([editable(gold)]);
  assert.equal(
    gone.body.errors[0].pointer,
    '/rules/0/ruleId',
    'a rule that is out of force does not come back',
  );
  assert.deepEqual((await call('GET', path)).body, changed.body);
  assert.equal((await call('GET', path, { headers: { 'If-None-Match': '"v3"' } })).status, 304);
});

test('rules take effect at once in this process', async () => {
  const customer = await createCustomer(room, { name: 'Acme', groupName: 'silver' });
  const profile = await server.directory.profile(customer.id);
  const now = Date.parse('2026-03-04T12:00:00Z');
  const bps = async (pair: string, at = now) => {
    const { rules } = await server.spreads.candidates(profile, pair);
    const rule = chooseTier(rules, { tenor: 'spot', validitySeconds: 30, usdMinor: 0n, at });
    return rule && formatDecimal(rule.spreadBps);
  };
  await put([]);
  assert.equal(await bps('EURUSD'), undefined);
  await put([
    { spreadBps: '20' },
    { groupName: 'silver', spreadBps: '15' },
    {
      customerId: customerView(customer).customerId,
      pair: 'EURUSD',
      spreadBps: '5',
      validTo: '2026-03-05T00:00:00Z',
    },
  ]);
  assert.equal(await bps('EURUSD'), '5.00');
  assert.equal(await bps('EURUSD', Date.parse('2026-03-05T00:00:00Z')), '15.00');
  assert.equal(await bps('GBPUSD'), '15.00');
});

test('wrong rules are named by pointer, and the set stays as it is', async () => {
  const before = await call('GET', path);
  const customer = customerView(await createCustomer(room, { name: 'Acme' })).customerId;
  const wrong: [object, string][] = [
    [{ spreadBps: '5000' }, 'spreadBps'],
    [{ spreadBps: '-1' }, 'spreadBps'],
    [{ spreadBps: '1.234' }, 'spreadBps'],
    [{ spreadBps: 20 }, 'spreadBps'],
    [{ spreadBps: '1', pair: 'USDEUR' }, 'pair'],
    [{ spreadBps: '1', pair: 'EURXXY' }, 'pair'],
    [{ spreadBps: '1', customerId: 'cus_01jngx7z5d2m8r4v6t9k3b1c0a' }, 'customerId'],
    [{ spreadBps: '1', customerId: 'acme' }, 'customerId'],
    [{ spreadBps: '1', customerId: customer, groupName: 'gold' }, 'groupName'],
    [{ spreadBps: '1', validFrom: '2026-02-30T00:00:00Z' }, 'validFrom'],
    [{ spreadBps: '1', validFrom: '2026-03-02T00:00:00Z', validTo: '2026-03-02T01:00:00+01:00' }, 'validTo'],
    [{ spreadBps: '1', ruleId: 'spr_01jngx7z5d2m8r4v6t9k3b1c0a' }, 'ruleId'],
    [{ spreadBps: '1', colour: 'red' }, 'colour'],
  ];
  for (const [rule, field] of wrong) {
    const refused = await put([{ spreadBps: '3', pair: 'AUDUSD' }, rule]);
    assert.equal(refused.status, 400, JSON.stringify(rule));
    assert.deepEqual(
      refused.body.errors.map((error: { pointer: string }) => error.pointer),
      [`/rules/1/${field}`],
      JSON.stringify(rule),
    );
  }
  const [known] = before.body.rules;
  const twice = await put([editable(known), { ...editable(known), pair: 'AUDUSD' }]);
  assert.deepEqual(
    twice.body.errors.map((error: { code: string }) => error.code),
    ['repeated'],
  );
  const overlapping = await put([
    { spreadBps: '1', pair: 'EURUSD', validTo: '2026-03-02T00:00:00Z' },
    { spreadBps: '2', pair: 'EURUSD', validFrom: '2026-03-02T00:00:00Z', validTo: '2026-03-03T00:00:00Z' },
    { spreadBps: '3', pair: 'EURUSD', validFrom: '2026-03-02T23:00:00Z' },
    { spreadBps: '4', pair: 'GBPUSD' },
  ]);
  assert.deepEqual(
    overlapping.body.errors.map((error: { pointer: string; code: string }) => [error.pointer, error.code]),
    [['/rules/2', 'overlap']],
  );
  assert.deepEqual((await call('GET', path)).body, before.body);
});

test('If-Match is required, and of two simultaneous replacements one is refused', async () => {
  const refused = await call('PUT', path, { body: { rules: [] } });
  assert.equal(refused.status, 428);
  assert.equal(refused.body.code, 'precondition_required');
  const etag = (await call('GET', path)).headers.get('etag') ?? '';
  const answers = await Promise.all(['11', '12', '13', '14'].map((spreadBps) => put([{ spreadBps }], etag)));
  assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 412, 412, 412]);
  const winner = answers.find((answer) => answer.status === 200);
  const loser = answers.find((answer) => answer.status === 412);
  assert.equal(loser?.body.currentVersion, winner?.body.version);
  assert.deepEqual((await call('GET', path)).body, winner?.body);
});

test('ten thousand rules fit, one more does not', async () => {
  const rules = Array.from({ length: 10_000 }, (_, i) => ({ groupName: `group ${i}`, spreadBps: '77' }));
  const set = await put(rules);
  assert.equal(set.status, 200, JSON.stringify(set.body).slice(0, 300));
  assert.equal(set.body.rules.length, 10_000);
  const more = await put([...rules, { spreadBps: '1' }]);
  assert.equal(more.status, 400);
  assert.equal(more.body.errors[0].pointer, '/rules');
  assert.equal((await put([])).body.rules.length, 0);
});
