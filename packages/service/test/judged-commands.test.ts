import assert from 'node:assert/strict';
import { afterEach, before, describe, test } from 'node:test';
import { COMMAND_KINDS, type CommandKind, FIXED_KINDS, isProposalKind } from '@firmquote/api/command-kinds';
import { JUDGED } from '@firmquote/api/four-eyes';
import { uuidOf } from '../src/platform/ids.ts';
import { refused, startExampleService, succeed } from './support/acceptance.ts';
import { type FourEyes, fourEyes } from './support/four-eyes.ts';
import { judgedRequests, TRIED } from './support/judged-requests.ts';
import type { Answer, TestService } from './support/service.ts';

/** Every kind of command that takes two persons is proposed, refused, withdrawn, outdated, expired, approved and replayed. */

/** Written by time, by every request, or by proposals themselves. */
const NOISE = new Set([
  'approvals',
  'audit_log',
  'calendar_imports',
  'exception_history',
  'idempotency_keys',
  'house_open_quotes',
  'house_positions',
  'match_changes',
  'match_walks',
  'operator_events',
  'pair_positions',
  'reconciliation_exceptions',
  'sealed_logs',
  'settlement_ladder',
  'webhook_deliveries',
  'webhook_events',
]);

let service: TestService;
let eyes: FourEyes;
let requests: Awaited<ReturnType<typeof judgedRequests>>;
let standing: string;
const proposedKinds = new Set<string>();

before(async () => {
  service = await startExampleService();
  eyes = await fourEyes(service);
  requests = await judgedRequests(service, eyes);
  await eyes.setPolicy(
    Object.fromEntries(Object.keys(COMMAND_KINDS).map((kind) => [kind, 'always'])) as Record<
      CommandKind,
      'always'
    >,
    { accountWaitHours: 24 },
  );
  const { rows } = await service.database.owner.query<{ name: string }>(
    `select c.relname as name from pg_class c where c.relkind in ('r', 'p') and not c.relispartition
       and c.relnamespace = 'public'::regnamespace
       and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname in ('customer_id', 'id', 'version', 'deposit_id', 'run_id', 'currency', 'kid'))
     order by 1`,
  );
  standing = rows
    .filter(({ name }) => !NOISE.has(name))
    .map(
      ({ name }) =>
        `select '${name}' as name, count(*)::int as rows, max(xmin::text::bigint)::text as newest from ${name}`,
    )
    .join(' union all ');
});

/** What every table holds: how many rows, and the newest that was written. */
async function tables(): Promise<Map<string, string>> {
  const { rows } = await service.database.owner.query<{ name: string; rows: number; newest: string }>(
    standing,
  );
  return new Map(rows.map(({ name, rows, newest }) => [name, `${rows} ${newest}`]));
}

/** So that one that fails does not keep the others from being tried. */
afterEach(async () => {
  const { items } = (await service.operate('GET', '/v1/operator/approvals?status=pending')).body;
  for (const { approvalId } of items) await eyes.reject(approvalId);
});

const decided = (approvalId: string, what: string, token: string) =>
  service.call('POST', `/v1/operator/approvals/${approvalId}/${what}`, { token });
const approvalOf = async (approvalId: string): Promise<Answer['body']> =>
  (await service.operate('GET', `/v1/operator/approvals/${approvalId}`)).body;
const change = (approvalId: string, set: string) =>
  service.database.owner.query(`update approvals set ${set} where id = $1`, [uuidOf('apr', approvalId)]);

test('every kind that takes two persons is tried', () => {
  const tried = new Set<string | undefined>(TRIED.map((id) => JUDGED[id]?.kind));
  const kinds = [...Object.keys(COMMAND_KINDS), ...Object.keys(FIXED_KINDS)];
  assert.deepEqual(
    kinds.filter((kind) => !tried.has(kind)),
    [],
  );
});

describe('a command that takes two persons', () => {
  for (const id of TRIED) test(id, () => tried(id));
});

test('proposals have kinds that are declared', () => {
  assert.ok(proposedKinds.size > 0);
  assert.deepEqual(
    [...proposedKinds].filter((kind) => !isProposalKind(kind)),
    [],
  );
});

async function tried(id: string): Promise<void> {
  const request = requests[id];
  assert.ok(request !== undefined, id);
  const propose = async () => {
    const { method, path, body, headers } = await request();
    const answer = await service.operate(method, path, body, { 'Firmquote-Reason': 'tried', ...headers });
    assert.equal(answer.status, 202, answer.text);
    const { items } = (await service.operate('GET', '/v1/operator/approvals?status=pending')).body;
    assert.equal(items.length, 1, id);
    proposedKinds.add(items[0].kind);
    return items[0] as Answer['body'];
  };
  await request();
  const untouched = await tables();
  const isUntouched = async (what: string) => assert.deepEqual(await tables(), untouched, `${id} ${what}`);

  const first = await propose();
  assert.ok(first.effects.length > 0, `${id} shows what it would change`);
  assert.ok(first.why.length > 0 || (JUDGED[id]?.kind ?? '') in FIXED_KINDS, `${id} says why it takes two`);
  await refused('second_person_required', eyes.approve(first.approvalId, eyes.alsoFirst));
  await refused('second_person_required', eyes.approve(first.approvalId, service.operatorToken));
  await change(first.approvalId, "proposed_at = proposed_at - interval '100 hours'");
  await refused('approval_expired', eyes.approve(first.approvalId));
  await change(first.approvalId, "proposed_at = proposed_at + interval '100 hours'");
  await succeed(200, eyes.reject(first.approvalId));
  assert.equal((await approvalOf(first.approvalId)).status, 'withdrawn');
  await refused('invalid_state_transition', eyes.approve(first.approvalId), { from: 'withdrawn' });
  await isUntouched('withdrawn');

  const second = await propose();
  await succeed(200, decided(second.approvalId, 'reject', eyes.second));
  await refused('invalid_state_transition', eyes.approve(second.approvalId), { from: 'rejected' });
  await isUntouched('rejected');

  const { approvalId, effects, effectsDigest } = await propose();
  assert.deepEqual(effects, first.effects, `${id} proposed again shows the same`);
  let seen: { effectsDigest: string } | undefined;
  if (effectsDigest !== null) {
    await change(approvalId, "effects_digest = 'of another state'");
    const reported = await refused('proposal_outdated', eyes.approve(approvalId));
    assert.deepEqual([reported.effects, reported.effectsDigest], [effects, effectsDigest], id);
    seen = { effectsDigest: reported.effectsDigest };
    await isUntouched('outdated');
  }
  // Twice at once: one of them does it.
  const both = await Promise.all([
    eyes.approve(approvalId, eyes.second, seen),
    eyes.approve(approvalId, eyes.second, seen),
  ]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409], both.map(({ text }) => text).join());
  assert.equal((await approvalOf(approvalId)).status, 'approved');
  assert.notDeepEqual(await tables(), untouched, `${id} is done`);
  await refused('invalid_state_transition', eyes.approve(approvalId), { from: 'approved' });
}
