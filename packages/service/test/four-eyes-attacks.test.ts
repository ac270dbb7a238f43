import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { uuidOf } from '../src/platform/ids.ts';
import { refused, startExampleService, succeed } from './support/acceptance.ts';
import { type FourEyes, fourEyes, refusalsAreReported } from './support/four-eyes.ts';
import type { Answer, TestService } from './support/service.ts';

/** Those who try it between a request and its approval, or twice, or as somebody else: each is refused, told, and moves nothing. */

const APPROVALS = '/v1/operator/approvals';
const REASON = { 'Firmquote-Reason': 'asked for' };

let service: TestService;
let eyes: FourEyes;

before(async () => {
  service = await startExampleService({ FIRMQUOTE_PASSKEYS: 'on' });
  eyes = await fourEyes(service);
  await eyes.setPolicy();
});

const topUp = () => ({ currency: 'EUR', amount: '7.00', bankReference: `ATTACK-${++references}` });
let references = 0;
const path = () => `${eyes.customer.path}/balances/top-ups`;

async function moved(): Promise<unknown> {
  const { rows } = await service.pool.query(
    `select (select count(*) from journal_entries) as entries, (select count(*) from oauth_clients) as clients,
       (select count(*) from persons) as persons, (select count(*) from client_secrets) as secrets`,
  );
  return rows[0];
}

/** What was refused; the last test finds it on the audit trail. */
const tried = new Set<string>();

/** Refused with this code, and nothing moved. */
async function movesNothing(code: string, attempt: () => Promise<Answer>): Promise<void> {
  const before = await moved();
  await refused(code, attempt());
  assert.deepEqual(await moved(), before);
  tried.add(code);
}

describe('the policy changes between the proposal and its approval', () => {
  for (const needs of ['never', 'always'] as const) {
    test(`to ${needs}: it takes the second person all the same`, async () => {
      await eyes.setPolicy();
      const { approvalId } = await eyes.proposed('POST', path(), topUp());
      await eyes.setPolicy({ balance_top_up: needs });
      for (const token of [service.operatorToken, eyes.alsoFirst]) {
        await movesNothing('second_person_required', () => eyes.approve(approvalId, token));
      }
      assert.equal((await succeed(200, eyes.approve(approvalId))).body.status, 'approved');
    });
  }

  test('a laxer one that is only proposed is not in force', async () => {
    await eyes.setPolicy();
    const { body, headers } = await succeed(200, service.operate('GET', '/v1/operator/four-eyes'));
    const { version: _, fixed: __, ...document } = body;
    const lax = {
      ...document,
      rules: body.rules.map(({ kind }: { kind: string }) => ({ kind, needs: 'never', fromUsd: null })),
    };
    const ifMatch = { 'If-Match': headers.get('ETag') ?? '' };
    const { approvalId } = await eyes.proposed('PUT', '/v1/operator/four-eyes', lax, ifMatch);
    const top = await eyes.proposed('POST', path(), topUp());
    await movesNothing('second_person_required', () => eyes.approve(approvalId, eyes.alsoFirst));
    for (const id of [approvalId, top.approvalId]) await succeed(200, eyes.reject(id));
  });
});

const answersFor = (clientId: string, person: string | null) =>
  service.database.owner.query('update oauth_clients set responsible = $2 where id = $1', [
    uuidOf('cli', clientId),
    person,
  ]);
const responsible = async (clientId: string) => {
  const { rows } = await service.pool.query<{ responsible: string | null }>(
    'select responsible from oauth_clients where id = $1',
    [uuidOf('cli', clientId)],
  );
  return rows[0]?.responsible ?? null;
};

describe('whoever answers for a client changes between the proposal and its approval', () => {
  test('the one who proposed takes over the client that approves, or gives its own away', async () => {
    const { operator, secondOperator } = service.sandbox;
    const [first, second] = [
      await responsible(operator.clientId),
      await responsible(secondOperator.clientId),
    ];
    assert.notEqual(first, second);
    const { approvalId } = await eyes.proposed('POST', path(), topUp());
    await answersFor(secondOperator.clientId, first);
    await movesNothing('second_person_required', () => eyes.approve(approvalId));
    await answersFor(secondOperator.clientId, null);
    await movesNothing('second_person_required', () => eyes.approve(approvalId));
    await answersFor(secondOperator.clientId, second);
    // The client that proposed is the second person's now: whoever did it is not forgotten.
    await answersFor(operator.clientId, second);
    for (const token of [eyes.second, eyes.alsoFirst]) {
      await movesNothing('second_person_required', () => eyes.approve(approvalId, token));
    }
    await answersFor(operator.clientId, first);
    await succeed(200, eyes.reject(approvalId));
  });

  test('the one who approves is suspended, or has lost its rights', async () => {
    const { secondOperator } = service.sandbox;
    const second = await responsible(secondOperator.clientId);
    const { approvalId } = await eyes.proposed('POST', path(), topUp());
    const set = (status: string) =>
      service.database.owner.query('update persons set status = $2 where id = $1', [second, status]);
    await set('suspended');
    await movesNothing('second_person_required', () => eyes.approve(approvalId));
    await set('active');
    const { rows } = await service.pool.query('select scopes, roles from oauth_clients where id = $1', [
      uuidOf('cli', secondOperator.clientId),
    ]);
    const give = (scopes: unknown, roles: unknown) =>
      service.database.owner.query('update oauth_clients set scopes = $2, roles = $3 where id = $1', [
        uuidOf('cli', secondOperator.clientId),
        scopes,
        roles,
      ]);
    await give(['operator:approvals'], []);
    await movesNothing('insufficient_scope', () => eyes.approve(approvalId));
    await give(rows[0]?.scopes, rows[0]?.roles);
    await succeed(200, eyes.reject(approvalId));
  });
});

test('a person who has signed in approves nothing that its client has proposed, nor the other way round', async () => {
  const { operator } = service.sandbox;
  const { items } = (await service.operate('GET', '/v1/operator/persons')).body;
  const ready = items.find(({ email }: { email: string }) => email === 'approver@sandbox.example');
  const former = await responsible(operator.clientId);
  await answersFor(operator.clientId, uuidOf('per', ready.personId));
  const self = await eyes.person(ready.email);
  const byClient = await eyes.proposed('POST', path(), topUp());
  await movesNothing('second_person_required', () =>
    self('POST', `${APPROVALS}/${byClient.approvalId}/approve`),
  );
  const byPerson = await succeed(202, self('POST', path(), topUp(), REASON));
  await movesNothing('second_person_required', () =>
    eyes.approve(byPerson.body.approvalId, service.operatorToken),
  );
  for (const id of [byClient.approvalId, byPerson.body.approvalId]) await succeed(200, eyes.reject(id));
  await answersFor(operator.clientId, former);
});

test('a key that two persons use is of each by itself: neither gets the answer, or the secret, of the other', async () => {
  const headers = { ...REASON, 'Idempotency-Key': 'one key of two' };
  const ask = (token: string, body: unknown) =>
    service.call('POST', '/v1/operator/clients', { token, body, headers });
  const before = await moved();
  const mine = await succeed(202, ask(service.operatorToken, { name: 'of two' }));
  // Not the answer of the first one, but what holds for any request: one proposal at a time.
  await refused('already_exists', ask(eyes.second, { name: 'of two' }));
  const again = ask(service.operatorToken, { name: 'of two' });
  await refused('already_exists', again, { location: `${APPROVALS}/${mine.body.approvalId}` });
  assert.equal((await again).body.clientSecret, undefined);
  await refused('idempotency_key_reused', ask(service.operatorToken, { name: 'another' }));
  await succeed(200, eyes.reject(mine.body.approvalId));
  const theirs = await succeed(202, ask(eyes.second, { name: 'of two' }));
  assert.notEqual(theirs.body.approvalId, mine.body.approvalId);
  assert.notEqual(theirs.body.clientSecret, mine.body.clientSecret);
  assert.deepEqual(await moved(), before);
  await succeed(200, eyes.reject(theirs.body.approvalId));
});

test('an approval that is replayed, also many times at once, moves its money once', async () => {
  const { approvalId } = await eyes.proposed('POST', path(), topUp());
  const count = async () => Number(((await moved()) as { entries: string }).entries);
  const before = await count();
  const answers = await Promise.all(Array.from({ length: 5 }, () => eyes.approve(approvalId)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409]);
  assert.equal(await count(), before + 1);
  await movesNothing('invalid_state_transition', () => eyes.approve(approvalId));
});

test('the link of an invitation goes to whoever approves it, once, and to nobody else', async () => {
  const invite = { email: 'new.one@example.com', roles: ['viewer'] };
  const before = await moved();
  const proposed = await eyes.proposed('POST', '/v1/operator/persons', invite);
  assert.equal(proposed.kind, 'person');
  assert.equal(proposed.invitationLink, undefined);
  assert.deepEqual(proposed.effects.find(({ at }: { at: string }) => at === '').after.roles, ['viewer']);
  assert.doesNotMatch(JSON.stringify(proposed), /#\w*i_/);
  assert.deepEqual(await moved(), before);
  // Whoever proposes it sees no secret: the answer is repeated like any other.
  const propose = () =>
    service.operate(
      'POST',
      '/v1/operator/persons',
      { ...invite, email: 'repeated@example.com' },
      { ...REASON, 'Idempotency-Key': 'propose the invitation' },
    );
  const asked = await succeed(202, propose());
  const repeated = await succeed(202, propose());
  assert.deepEqual(repeated.body, asked.body);
  assert.equal(repeated.headers.get('Idempotency-Replayed'), 'true');
  await succeed(200, eyes.reject(asked.body.approvalId));
  await movesNothing('second_person_required', () => eyes.approve(proposed.approvalId, eyes.alsoFirst));
  const approve = () =>
    service.call('POST', `${APPROVALS}/${proposed.approvalId}/approve`, {
      token: eyes.second,
      headers: { 'Idempotency-Key': 'approve the invitation' },
    });
  const approved = await succeed(200, approve());
  const link = approved.body.invitationLink as string;
  assert.match(link, /\/login\/invitation#\S{40,}$/);
  assert.equal(approved.headers.get('Cache-Control'), 'no-store');
  const again = await succeed(200, approve());
  assert.deepEqual([again.body.status, again.body.invitationLink], ['approved', undefined]);
  const secret = link.slice(link.indexOf('#') + 1);
  const { text } = await service.operate('GET', `${APPROVALS}/${proposed.approvalId}`);
  assert.ok(!text.includes(secret));
  const { rows } = await service.database.owner.query(
    "select count(*)::int as kept from idempotency_keys k where k::text like '%' || $1 || '%'",
    [secret],
  );
  assert.deepEqual(rows, [{ kept: 0 }]);
  const { personId } = approved.body.result;
  const person = (await service.operate('GET', `/v1/operator/persons/${personId}`)).body;
  assert.equal(person.status, 'invited');
  assert.notEqual(person.invitationEndsAt, null);
  // The one that replaces it does so too.
  const renewed = await eyes.proposed('POST', `/v1/operator/persons/${personId}/invitation`);
  assert.equal(renewed.invitationLink, undefined);
  const second = await succeed(200, eyes.approve(renewed.approvalId));
  assert.match(second.body.invitationLink, /#\S{40,}$/);
  assert.notEqual(second.body.invitationLink, link);
});

test('a command on many trades does what was seen: to another account of the customer nothing is sent', async () => {
  await eyes.setPolicy({ settlement_instruction: 'never' });
  const account = async (accountNumber: string) => {
    const { body } = await succeed(
      201,
      service.operate('POST', `${eyes.customer.path}/settlement-instructions`, {
        ...{ currency: 'USD', accountHolder: 'Acme Ltd', bankCountry: 'US' },
        ...{ accountNumber, routingNumber: '021000021' },
      }),
    );
    return body.settlementInstructionId as string;
  };
  const sold = { sellCurrency: 'EUR', buyCurrency: 'USD', amount: '1000.00' };
  const quote = await eyes.customer.quote(sold);
  const { transactionId } = (await eyes.customer.trade(quote.body.quoteId)).body;
  const transaction = `/v1/operator/transactions/${transactionId}`;
  const destination = async () => (await service.operate('GET', transaction)).body.payout.destinationId;
  const first = await destination();
  const second = await account('1111111111');
  const unknown = 'txn_01jngx7z5d2m8r4v6t9k3b1c0a';
  const seen = await eyes.proposed('POST', '/v1/operator/transactions/commands', {
    command: 'redirect-payout',
    items: [{ transactionId }, { transactionId: unknown }],
  });
  const at = '/transactions/0/payout/destinationId';
  const changed = ({ effects }: Answer['body']) => effects.find((each: { at: string }) => each.at === at);
  assert.deepEqual(changed(seen), { at, before: first, after: second });
  const outcomes = seen.effects.find((each: { at: string }) => each.at === '/outcomes').after;
  assert.deepEqual(
    outcomes.map(({ outcome }: { outcome: string }) => outcome),
    ['done', 'refused'],
  );

  const third = await account('2222222222');
  await movesNothing('proposal_outdated', () => eyes.approve(seen.approvalId));
  assert.equal(await destination(), first);
  const { body: now } = await eyes.approve(seen.approvalId);
  assert.equal(changed(now).after, third);
  const { effectsDigest } = now;
  await succeed(200, eyes.approve(seen.approvalId, eyes.second, { effectsDigest }));
  assert.equal(await destination(), third);
});

test('the halt that was seen is lifted, and none that has come in its place', async () => {
  const halt = (reason: string) =>
    succeed(200, service.operate('POST', '/v1/operator/market/halt', { ...target, reason }));
  const target = { scope: 'pair', pair: 'GBPUSD' };
  const resume = { ...target, reason: 'all is well' };
  await eyes.setPolicy();
  await halt('a wrong price');
  const { approvalId, effects } = await eyes.proposed('POST', '/v1/operator/market/resume', resume);
  const lifted = effects.find(({ at }: { at: string }) => at === '').after;
  assert.deepEqual([lifted.reason, lifted.resumeReason], ['a wrong price', 'all is well']);
  await eyes.setPolicy({ halt_lifted: 'never' });
  await succeed(200, service.operate('POST', '/v1/operator/market/resume', resume));
  await halt('the bank has failed');
  await eyes.setPolicy();
  await movesNothing('proposal_outdated', () => eyes.approve(approvalId));
  const { items } = (await service.operate('GET', '/v1/operator/market/halts?status=active')).body;
  assert.deepEqual(
    items.map(({ reason }: { reason: string }) => reason),
    ['the bank has failed'],
  );
});

test('what was tried is on the audit trail', async () => {
  assert.ok(tried.size > 2);
  await refusalsAreReported(service, tried);
});
