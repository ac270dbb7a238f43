import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ProposalKind } from '@firmquote/api/command-kinds';
import { createTestDatabase } from '../../test/support/database.ts';
import {
  AS_SECOND,
  createOperatorServer,
  OPERATOR_IDS,
  type OperatorServer,
  PERSON_IDS,
} from '../../test/support/operator-server.ts';
import { createSandbox, type Sandbox } from '../../test/support/sandbox.ts';
import { type Connection, inTransaction, type Pool } from '../database/pool.ts';
import { actorId, typeId, uuidOf } from '../platform/ids.ts';
import { Problem } from '../problems/problem.ts';
import { type ApprovalKind, type Approved, approvalExpirySweep, approve, propose } from './approvals.ts';
import { doOrPropose, worthOf } from './do-or-propose.ts';
import { isMuch } from './judge.ts';

let pool: Pool;
let sandbox: Sandbox;
let server: OperatorServer;
let call: OperatorServer['call'];
const done: Approved[] = [];
const kinds = new Map<ProposalKind, ApprovalKind>();
let refuses = false;
/** What the approved work changes. */
let changes: (connection: Connection) => Promise<unknown> = async () => undefined;

before(async () => {
  ({ pool } = await createTestDatabase({ connections: 8 }));
  sandbox = await createSandbox(pool);
  const move: ApprovalKind = {
    scope: 'operator:deposits',
    carryOut: async (connection: Connection, approved: Approved) => {
      await changes(connection);
      if (refuses) throw new Problem('invalid_state_transition', 'It has moved already.');
      done.push(approved);
    },
  };
  server = createOperatorServer(sandbox, true, kinds.set('pricing', move));
  call = server.call;
});
after(() => server.close());

let subjects = 0;
async function proposed(
  subject = `thing_${++subjects}`,
  proposedBy: string = OPERATOR_IDS.first,
): Promise<string> {
  const approval = await inTransaction(pool, (connection) =>
    propose(
      connection,
      { kind: 'pricing', subject, request: { to: 7 }, reason: 'as told', proposedBy },
      sandbox.clock.now(),
    ),
  );
  return `/v1/operator/approvals/${typeId('apr', approval.id)}`;
}

test('a second person approves, once, and the work is done in the same commit', async () => {
  const url = await proposed();
  const pending = await call('GET', url);
  assert.deepEqual(
    [pending.body.status, pending.body.request, pending.body.decidedBy],
    ['pending', { to: 7 }, null],
  );
  const own = await call('POST', `${url}/approve`);
  assert.deepEqual([own.status, own.body.code], [403, 'second_person_required']);
  const headers = { ...AS_SECOND, 'idempotency-key': 'approve-1' };
  const approved = await call('POST', `${url}/approve`, { note: 'seen' }, headers);
  assert.equal(approved.status, 200);
  assert.deepEqual([approved.body.status, approved.body.note], ['approved', 'seen']);
  assert.equal(approved.body.decidedBy, typeId('cli', OPERATOR_IDS.second));
  assert.deepEqual((await call('POST', `${url}/approve`, { note: 'seen' }, headers)).body, approved.body);
  assert.equal(done.length, 1);
  assert.deepEqual([done[0]?.request, done[0]?.reason], [{ to: 7 }, 'as told']);
  const again = await call('POST', `${url}/approve`, undefined, AS_SECOND);
  assert.deepEqual(
    [again.status, again.body.code, again.body.from],
    [409, 'invalid_state_transition', 'approved'],
  );
});

test('the audit trail leads to the approval however much its work changes', async () => {
  const url = await proposed();
  changes = (connection) =>
    connection.query(
      `insert into roles (name, description, scopes, version, created_at, updated_at)
       select 'of-many-' || n, repeat('x', 200), '{operator:reports}', 1, now(), now() from generate_series(1, 400) n`,
    );
  const headers = { ...AS_SECOND, 'x-request-id': 'approve-much' };
  const approved = await call('POST', `${url}/approve`, undefined, headers);
  changes = async () => undefined;
  assert.equal(approved.status, 200);
  const id = uuidOf('apr', url.split('/').at(-1) ?? '');
  const { rows } = await pool.query(
    `select approval_id, subjects @> array[$1] as is_found, changes::jsonb -> -1 ->> 'table' as last from audit_log
     where request_id = 'approve-much'`,
    [id],
  );
  assert.deepEqual(rows, [{ approval_id: id, is_found: true, last: 'more' }]);
  // It is of this act alone.
  await call('POST', `${await proposed()}/reject`, {}, { ...AS_SECOND, 'x-request-id': 'reject-another' });
  const other = await pool.query(
    "select count(distinct approval_id)::int as n from audit_log where request_id in ('approve-much', 'reject-another')",
  );
  assert.deepEqual(other.rows, [{ n: 2 }]);
});

test('work that the state no longer allows leaves the proposal pending', async () => {
  const url = await proposed();
  refuses = true;
  const refused = await call('POST', `${url}/approve`, undefined, AS_SECOND);
  refuses = false;
  assert.equal(refused.body.code, 'invalid_state_transition');
  assert.equal((await call('GET', url)).body.status, 'pending');
});

test('rejecting does nothing else; rejecting one of your own withdraws it', async () => {
  const before = done.length;
  const first = await proposed('thing_rejected');
  await assert.rejects(
    proposed('thing_rejected'),
    (error: unknown) => error instanceof Problem && error.code === 'already_exists',
  );
  assert.equal((await call('POST', `${first}/reject`, {}, AS_SECOND)).body.status, 'rejected');
  const second = await proposed('thing_rejected');
  assert.equal((await call('POST', `${second}/reject`)).body.status, 'withdrawn');
  assert.equal(done.length, before);
});

/** Clients beside those of the two operators, by who answers for them. */
const CLIENTS = {
  ofTheFirst: '0195f000-0000-7000-8000-0000000000a1',
  ofNobody: '0195f000-0000-7000-8000-0000000000a2',
} as const;

async function makeClient(id: string, responsible: string | null): Promise<void> {
  await pool.query(
    `insert into oauth_clients (id, kind, name, scopes, responsible, created_at, updated_at)
     values ($1, 'operator', 'another', '{operator:*}', $2, now(), now())
     on conflict (id) do update set responsible = excluded.responsible`,
    [id, responsible],
  );
}

/** As `decide` is asked by a client that the server of the tests has no token for. */
function approveAs(url: string, actorId: string): Promise<unknown> {
  const room = { pool, clock: sandbox.clock, ttlMs: 72 * 3_600_000, kinds };
  const approvalId = uuidOf('apr', url.split('/').at(-1) ?? '');
  return approve(room, { approvalId, actorId, scopes: new Set(['operator:*']), note: undefined });
}

const TAKES_TWO = { code: 'second_person_required' };

test('two clients of one person are one pair of eyes, whoever of them proposed', async () => {
  await makeClient(CLIENTS.ofTheFirst, PERSON_IDS.first);
  const before = done.length;
  const url = await proposed();
  await assert.rejects(approveAs(url, CLIENTS.ofTheFirst), TAKES_TWO);
  await assert.rejects(approveAs(url, PERSON_IDS.first), TAKES_TWO);
  const back = await proposed('thing_back', CLIENTS.ofTheFirst);
  const own = await call('POST', `${back}/approve`);
  assert.deepEqual([own.status, own.body.code], [403, 'second_person_required']);
  assert.equal(done.length, before);
  await approveAs(url, PERSON_IDS.second);
  const { proposedBy, proposedByPerson, decidedBy, decidedByPerson } = (await call('GET', url)).body;
  assert.deepEqual(
    [proposedBy, proposedByPerson, decidedBy, decidedByPerson],
    [
      typeId('cli', OPERATOR_IDS.first),
      ...[PERSON_IDS.first, PERSON_IDS.second, PERSON_IDS.second].map(actorId),
    ],
  );
  // The person's other client takes it back; it does not reject it.
  assert.equal((await call('POST', `${back}/reject`)).body.status, 'withdrawn');
});

test('a client for which nobody answers proposes and never approves, and gains nothing by a person later', async () => {
  await makeClient(CLIENTS.ofNobody, null);
  const others = await proposed();
  await assert.rejects(approveAs(others, CLIENTS.ofNobody), {
    ...TAKES_TWO,
    message: /No person answers for this client.*Name one/,
  });
  const own = await proposed('thing_of_nobody', CLIENTS.ofNobody);
  assert.equal((await call('GET', own)).body.proposedByPerson, null);
  // Who answers for it now has proposed it, whoever did when it was proposed.
  await makeClient(CLIENTS.ofNobody, PERSON_IDS.second);
  await assert.rejects(approveAs(own, PERSON_IDS.second), TAKES_TWO);
  await assert.rejects(approveAs(own, CLIENTS.ofNobody), TAKES_TWO);
  const url = await proposed('thing_of_the_second', CLIENTS.ofNobody);
  await makeClient(CLIENTS.ofNobody, PERSON_IDS.first);
  await assert.rejects(approveAs(url, PERSON_IDS.second), TAKES_TWO);
  await assert.rejects(approveAs(url, PERSON_IDS.first), TAKES_TWO);
});

test('whoever was suspended approves nothing, neither as a person nor by a client', async () => {
  const url = await proposed('thing_of_a_suspended', CLIENTS.ofTheFirst);
  const set = (status: string) =>
    pool.query('update persons set status = $2 where id = $1', [PERSON_IDS.second, status]);
  for (const status of ['suspended', 'ended']) {
    await set(status);
    await assert.rejects(approveAs(url, PERSON_IDS.second), TAKES_TWO);
    assert.equal(
      (await call('POST', `${url}/approve`, undefined, AS_SECOND)).body.code,
      'second_person_required',
    );
  }
  await set('active');
  assert.equal((await call('POST', `${url}/approve`, undefined, AS_SECOND)).status, 200);
});

test('two who approve at once do it once', async () => {
  const url = await proposed();
  const before = done.length;
  const replies = await Promise.all(
    Array.from({ length: 5 }, () => call('POST', `${url}/approve`, undefined, AS_SECOND)),
  );
  assert.deepEqual(replies.map((reply) => reply.status).sort(), [200, 409, 409, 409, 409]);
  assert.equal(done.length, before + 1);
});

test('the list is filtered and paged; scopes and unknown ids are refused', async () => {
  for (const subject of ['list_1', 'list_2', 'list_3']) await proposed(subject);
  const page = await call('GET', '/v1/operator/approvals?status=pending&kind=pricing&limit=2');
  assert.deepEqual(
    page.body.items.map((item: { subject: string }) => item.subject),
    ['list_3', 'list_2'],
  );
  const next = await call(
    'GET',
    `/v1/operator/approvals?status=pending&kind=pricing&limit=2&cursor=${page.body.nextCursor}`,
  );
  assert.equal(next.body.items[0].subject, 'list_1');
  const one = await call('GET', '/v1/operator/approvals?subject=list_2');
  assert.equal(one.body.items.length, 1);
  assert.equal((await call('GET', '/v1/operator/approvals?colour=red')).body.code, 'validation_failed');
  assert.equal((await call('GET', '/v1/operator/approvals/apr_nothing')).body.code, 'approval_not_found');
  const url = `/v1/operator/approvals/${page.body.items[0].approvalId}`;
  const without = { authorization: 'Bearer operator:transactions' };
  assert.equal((await call('GET', url, undefined, without)).body.requiredScope, 'operator:approvals');
  // To decide takes the scope of what is decided on as well, whichever way.
  const only = { authorization: 'Bearer operator:approvals second' };
  for (const verb of ['approve', 'reject']) {
    const refused = await call('POST', `${url}/${verb}`, undefined, only);
    assert.deepEqual([refused.status, refused.body.requiredScope], [403, 'operator:deposits'], verb);
  }
  assert.equal((await call('GET', url)).body.status, 'pending');
  assert.equal((await call('POST', `${url}/approve`, { colour: 'red' }, AS_SECOND)).status, 400);
});

test('a proposal that nobody decides on expires, is told so before the sweep and after, and makes room for another', async () => {
  const ttlMs = 72 * 3_600_000;
  const sweep = approvalExpirySweep({ pool, clock: sandbox.clock, kinds: new Map(), ttlMs });
  // Everything that is pending, with a second to spare.
  await sandbox.advance(ttlMs / 1_000 + 1);
  await sweep.run();
  const url = await proposed('thing_late');
  const made = Date.parse((await call('GET', url)).body.proposedAt);
  assert.equal(await sweep.nextDueAt?.(), made + ttlMs);
  await sandbox.advance(ttlMs / 1_000 - 60);
  assert.equal(await sweep.run(), 0);
  const before = done.length;
  await sandbox.advance(60);
  const late = await call('POST', `${url}/approve`, undefined, AS_SECOND);
  assert.deepEqual([late.status, late.body.code], [409, 'approval_expired']);
  assert.equal(await sweep.run(), 1);
  for (const verb of ['approve', 'reject']) {
    const refused = await call('POST', `${url}/${verb}`, undefined, AS_SECOND);
    assert.equal(refused.body.code, 'approval_expired');
  }
  assert.equal(done.length, before);
  const shown = (await call('GET', url)).body;
  assert.deepEqual([shown.status, shown.decidedBy, shown.note], ['expired', null, null]);
  assert.ok(Date.parse(shown.decidedAt) >= made + ttlMs);
  const list = await call('GET', '/v1/operator/approvals?status=expired&subject=thing_late');
  assert.equal(list.body.items.length, 1);
  await proposed('thing_late');
  assert.equal(await sweep.run(), 0);
});

test('a command that takes two persons is tried out and leaves nothing but its proposal', async () => {
  const subject = `thing_${++subjects}`;
  const movedTo = async (connection: Connection) => {
    const { rows } = await connection.query<{ named: string }>(
      "select current_setting('test.moved', true) as named",
    );
    return rows[0]?.named ?? '';
  };
  const tried = (needsTwo: boolean | ((to: string) => boolean), to: string) =>
    inTransaction(pool, async (connection) => {
      const carryOut = async () => {
        await connection.query("select set_config('test.moved', $1, true)", [to]);
        if (to === 'nowhere') throw new Problem('invalid_state_transition', 'It does not move there.');
        return to;
      };
      const proposal = (moved: string) => ({
        kind: 'pricing' as const,
        subject,
        request: { to: moved },
        reason: 'as told',
        proposedBy: OPERATOR_IDS.first,
      });
      const command = { needsTwo, carryOut, proposal };
      const outcome = await doOrPropose(connection, command, sandbox.clock.now());
      return { outcome, moved: await movedTo(connection) };
    });
  assert.deepEqual(await tried(false, 'here'), { outcome: { done: true, result: 'here' }, moved: 'here' });
  const little = await tried((to) => to === 'there', 'here');
  assert.deepEqual(little, { outcome: { done: true, result: 'here' }, moved: 'here' });
  await assert.rejects(tried(true, 'nowhere'), { code: 'invalid_state_transition' });
  const { outcome, moved } = await tried((to) => to === 'there', 'there');
  assert.equal(moved, '');
  assert.ok(!outcome.done);
  assert.deepEqual(JSON.parse(outcome.approval.request), { to: 'there' });
  await assert.rejects(tried(true, 'here'), { code: 'already_exists' });
});

test('what nobody can value is much, and nothing is where there is no limit', () => {
  const cases = [
    [100n, 100n, false],
    [101n, 100n, true],
    [undefined, 100n, true],
    [undefined, undefined, false],
  ] as const;
  for (const [worth, limit, expected] of cases) assert.equal(isMuch(worth, limit), expected);
  assert.equal(worthOf({}, 'USD', 5n), 5n);
  assert.equal(worthOf({}, 'EUR', 0n), 0n);
  assert.equal(worthOf({}, 'EUR', 5n), undefined);
  assert.equal(worthOf({ usdValueOf: (_, minor) => minor * 2n }, 'EUR', 5n), 10n);
});
