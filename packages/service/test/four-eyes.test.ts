import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { OPERATIONS } from '@firmquote/api';
import { COMMAND_KINDS } from '@firmquote/api/command-kinds';
import { ALONE, JUDGED } from '@firmquote/api/four-eyes';
import { uuidOf } from '../src/platform/ids.ts';
import {
  type Customer,
  createCustomer,
  fieldErrors,
  moveClock,
  refused,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { refusalsAreReported } from './support/four-eyes.ts';
import type { Answer, TestService } from './support/service.ts';

/** One person alone moves no money: every way that was known around four eyes, and those who try it otherwise. */

const POLICY = '/v1/operator/four-eyes';
const APPROVALS = '/v1/operator/approvals';
const REASON = { 'Firmquote-Reason': 'rules of the house' };
const MALLORY = { accountHolder: 'Mallory', iban: 'NL91ABNA0417164300', bankCountry: 'NL' };
const OTHER_ACCOUNT = { currency: 'EUR', ...MALLORY };

let service: TestService;
let acme: Customer;
let second: string;

/** As a new installation of a production has it, but that accounts do not wait. */
const STRICT = {
  rules: Object.entries(COMMAND_KINDS).map(([kind, { production }]) => ({ kind, ...production })),
  rollingHours: 24,
  accountWaitHours: 0,
};

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service, { settings: { fundingMode: 'pre_funded' } });
  const topUp = { currency: 'EUR', amount: '5000000.00', bankReference: 'FUNDS' };
  await succeed(201, service.operate('POST', `${acme.path}/balances/top-ups`, topUp));
  const { clientId, clientSecret } = service.sandbox.secondOperator;
  second = await service.token(clientId, clientSecret);
  await setPolicy(STRICT);
});

const approve = (approvalId: string, token = second, body?: unknown) =>
  service.call('POST', `${APPROVALS}/${approvalId}/approve`, { token, ...(body !== undefined && { body }) });

async function setPolicy(document: typeof STRICT): Promise<void> {
  const { headers } = await succeed(200, service.operate('GET', POLICY));
  const ifMatch = { 'If-Match': headers.get('ETag') ?? '' };
  const { body } = await succeed(
    202,
    service.operate('PUT', POLICY, document, {
      ...ifMatch,
      ...REASON,
    }),
  );
  await succeed(200, approve(body.approvalId));
}

/** What nobody may have moved: the books, the payouts and withdrawals, and the accounts that are paid. */
async function standing(): Promise<unknown> {
  const { rows } = await service.pool.query(
    `select (select count(*) from journal_entries) as entries, (select count(*) from balance_withdrawals) as withdrawals,
       (select count(*) from oauth_clients) as clients, (select count(*) from client_secrets) as secrets,
       (select count(*) from settlement_runs) as runs, (select count(*) from matching_settings) as rules,
       (select string_agg(id::text, ' ' order by id) from settlement_instructions where status = 'active') as accounts`,
  );
  return rows[0];
}

/** Does what somebody alone would try, and finds everything as it was. */
async function movesNothing(attempt: () => Promise<unknown>): Promise<void> {
  const before = await standing();
  await attempt();
  assert.deepEqual(await standing(), before);
}

async function proposed(calling: Promise<Answer>): Promise<Answer['body']> {
  const { body, headers } = await succeed(202, calling);
  assert.equal(body.status, 'pending');
  assert.equal(headers.get('Location'), `${APPROVALS}/${body.approvalId}`);
  return body;
}

const operate = (path: string, body: unknown, why = 'asked for', method = 'POST') =>
  service.operate(method, path, body, { 'Firmquote-Reason': encodeURIComponent(why) });

describe('five ways in which one person moved money', () => {
  test('another account of the customer, a client of the customer, a withdrawal', async () => {
    await movesNothing(async () => {
      const account = await proposed(operate(`${acme.path}/settlement-instructions`, OTHER_ACCOUNT));
      const changes = new Map<string, unknown[]>(
        account.effects.map((each: { at: string; before: unknown; after: unknown }) => [
          each.at,
          [each.before, each.after],
        ]),
      );
      assert.deepEqual(changes.get('/accountMasked'), ['DE** **** 3000', 'NL** **** 4300']);
      assert.equal(account.request.body.iban, 'NL91ABNA0417164300');
      assert.deepEqual(changes.get('/accountHolder'), ['Acme Ltd', 'Mallory']);
      const client = await proposed(operate(`${acme.path}/credentials`, { name: 'mallory' }));
      assert.match(client.clientSecret, /^\S{40,}$/);
      const stored = (await service.operate('GET', `${APPROVALS}/${client.approvalId}`)).text;
      assert.ok(!stored.includes(client.clientSecret), 'a secret is shown once');
      for (const { approvalId } of [account, client]) {
        await refused('second_person_required', approve(approvalId, service.operatorToken));
        await succeed(200, service.operate('POST', `${APPROVALS}/${approvalId}/reject`));
      }
      const names = (await service.operate('GET', `${acme.path}/credentials`)).body.credentials;
      assert.ok(!names.some(({ name }: { name: string }) => name === 'mallory'));
    });
  });

  test('a threshold that is raised first, or the policy itself', async () => {
    await movesNothing(async () => {
      const { headers, body } = await succeed(200, service.operate('GET', '/v1/operator/matching-rules'));
      const rules = { ...body, fourEyesFromUsd: null };
      delete rules.version;
      const ifMatch = { 'If-Match': headers.get('ETag') ?? '' };
      const raised = await proposed(
        service.operate('PUT', '/v1/operator/matching-rules', rules, { ...ifMatch, ...REASON }),
      );
      assert.deepEqual(raised.effects, [{ at: '/fourEyesFromUsd', before: '100000.00', after: null }]);
      const own = `${acme.path}/balances/withdrawals`;
      const much = { currency: 'EUR', amount: '4000000.00', reason: 'as told' };
      const taken = await proposed(service.operate('POST', own, much, { 'Idempotency-Key': 'much' }));
      const policy = await service.operate('GET', POLICY);
      const lax = {
        ...STRICT,
        rules: STRICT.rules.map((rule) => ({ ...rule, needs: 'never', fromUsd: null })),
      };
      const tag = { 'If-Match': policy.headers.get('ETag') ?? '' };
      const loosened = await proposed(service.operate('PUT', POLICY, lax, { ...tag, ...REASON }));
      // The policy is judged by what it was, not by what it would be.
      assert.equal(loosened.kind, 'four_eyes_policy');
      assert.deepEqual((await service.operate('GET', POLICY)).body, policy.body);
      for (const { approvalId } of [raised, taken, loosened]) {
        await succeed(200, service.operate('POST', `${APPROVALS}/${approvalId}/reject`));
      }
    });
  });

  test('a second client of the same person', async () => {
    await movesNothing(async () => {
      const made = await proposed(operate('/v1/operator/clients', { name: 'the other me' }));
      await succeed(200, service.operate('POST', `${APPROVALS}/${made.approvalId}/reject`));
    });
    // One that two persons have made counts as who answers for it all the same.
    const made = await proposed(operate('/v1/operator/clients', { name: 'a program of mine' }));
    const approved = await succeed(200, approve(made.approvalId));
    const mine = await service.token(approved.body.result.clientId, made.clientSecret);
    await movesNothing(async () => {
      const account = await proposed(operate(`${acme.path}/settlement-instructions`, OTHER_ACCOUNT));
      await refused('second_person_required', approve(account.approvalId, mine));
      await succeed(200, service.operate('POST', `${APPROVALS}/${account.approvalId}/reject`));
    });
  });

  test('one amount in many parts, also at once', async () => {
    const path = `${acme.path}/balances/withdrawals`;
    const part = { currency: 'EUR', amount: '30000.00', reason: 'in parts' };
    const keyed = (at: number) => ({ 'Idempotency-Key': `part ${at}` });
    const send = (at: number) => service.operate('POST', path, part, keyed(at));
    const answers = await Promise.all([0, 1, 2, 3, 4, 5].map(send));
    const statuses = answers.map(({ status }) => status).sort();
    // 30,000.00 EUR are 32,547.30 USD: three of them are below the 100,000.00 USD, and not one more.
    assert.deepEqual(statuses, [201, 201, 201, 202, 202, 202]);
    const [waiting] = answers.filter(({ status }) => status === 202);
    assert.match(
      waiting?.body.why.join(' '),
      /one person has moved USD \d+\.\d\d alone, more than USD 100000\.00/,
    );
    // What was done for the customer counts for everybody.
    const other = await service.call('POST', path, { token: second, body: part, headers: keyed(6) });
    assert.equal(other.status, 202, other.text);
    assert.match(other.body.why.join(' '), /for one customer/);
  });

  test('money that is booked by hand and withdrawn, or said to be paid', async () => {
    await movesNothing(async () => {
      const topUp = { currency: 'EUR', amount: '1.00', bankReference: 'NEVER-CAME' };
      const booked = await proposed(operate(`${acme.path}/balances/top-ups`, topUp));
      const deposit = {
        ...topUp,
        bankReference: 'NEVER-CAME-2',
        remitterName: 'Acme Ltd',
        remittanceText: 'x',
      };
      const recorded = await proposed(operate('/v1/operator/deposits', deposit));
      for (const { approvalId } of [booked, recorded]) {
        await refused('second_person_required', approve(approvalId, service.operatorToken));
        await succeed(200, service.operate('POST', `${APPROVALS}/${approvalId}/reject`));
      }
    });
    const { items } = (await service.operate('GET', '/v1/operator/withdrawals?status=pending')).body;
    const { withdrawalId } = items[0];
    await movesNothing(async () => {
      const paid = await proposed(operate(`/v1/operator/withdrawals/${withdrawalId}/paid`, {}));
      assert.equal(paid.kind, 'payment_confirmed');
      const due = '/v1/operator/settlement-runs/preview?currency=EUR&valueDate=2026-03-06';
      const { digest: previewDigest } = (await service.operate('GET', due)).body;
      const run = { currency: 'EUR', valueDate: '2026-03-06', previewDigest };
      const file = await proposed(operate('/v1/operator/settlement-runs', run));
      assert.equal(file.effects[0].after.payments[0].payeeAccount, 'DE89370400440532013000');
      assert.equal(file.effects[0].after.digest, undefined);
      for (const { approvalId } of [paid, file]) {
        await succeed(200, service.operate('POST', `${APPROVALS}/${approvalId}/reject`));
      }
    });
  });
});

test('every operation that changes something is judged, or says why one person may do it', () => {
  const changing = OPERATIONS.filter(
    ({ method, access }) => method !== 'GET' && access?.audience === 'operator',
  ).map(({ id }) => id);
  const unknown = changing.filter((id) => JUDGED[id] === undefined && ALONE[id] === undefined);
  assert.deepEqual(unknown, [], 'put it under a kind in packages/api/src/four-eyes.ts, or tell why not');
  const known = [...Object.keys(JUDGED), ...Object.keys(ALONE)];
  assert.deepEqual(
    known.filter((id) => !changing.includes(id)),
    [],
  );
  assert.deepEqual(
    Object.keys(ALONE).filter((id) => JUDGED[id] !== undefined),
    [],
  );
  for (const why of Object.values(ALONE)) assert.match(why, /^[A-Z].{10,}\.$/);
});

describe('an approval', () => {
  let limitsBefore: Answer['body'];
  before(async () => {
    limitsBefore = (await service.operate('GET', `${acme.path}/limits`)).body;
  });
  const limits = (daily: string) => ({
    currency: 'USD',
    dailyVolume: daily,
    openPosition: daily,
    singleTrade: daily,
    maxOpenQuotes: 10,
    rates: limitsBefore.rates,
  });
  const setLimits = (daily: string) =>
    operate(`${acme.path}/limits`, limits(daily), 'größere Grenzen', 'PUT');
  const limitsNow = async () => (await service.operate('GET', `${acme.path}/limits`)).body.dailyVolume;

  test('does what was proposed, once, and tells what it came to', async () => {
    const { approvalId, effects } = await proposed(setLimits('7000.00'));
    assert.deepEqual(
      effects.find(({ at }: { at: string }) => at === '/dailyVolume'),
      { at: '/dailyVolume', before: '100000000000.00', after: '7000.00' },
    );
    const key = { 'Idempotency-Key': 'approve-limits' };
    const path = `${APPROVALS}/${approvalId}/approve`;
    const first = await succeed(200, service.call('POST', path, { token: second, headers: key }));
    const again = await succeed(200, service.call('POST', path, { token: second, headers: key }));
    assert.deepEqual(again.body, first.body);
    assert.equal(first.body.result.dailyVolume, '7000.00');
    assert.equal(await limitsNow(), '7000.00');
    await refused('invalid_state_transition', approve(approvalId), { from: 'approved' });
  });

  test('is of what was seen: another state is told, and nothing is done', async () => {
    const { approvalId, effectsDigest } = await proposed(setLimits('8000.00'));
    await service.pool.query('update customer_limits set daily_usd_minor = 750000 where customer_id = $1', [
      await uuidOfCustomer(),
    ]);
    const reported = await refused('proposal_outdated', approve(approvalId));
    const seen = reported.effects.find(({ at }: { at: string }) => at === '/dailyVolume');
    assert.deepEqual(seen, { at: '/dailyVolume', before: '7500.00', after: '8000.00' });
    assert.notEqual(reported.effectsDigest, effectsDigest);
    assert.equal((await service.operate('GET', `${APPROVALS}/${approvalId}`)).body.status, 'pending');
    await refused('proposal_outdated', approve(approvalId, second, { effectsDigest }));
    await succeed(200, approve(approvalId, second, { effectsDigest: reported.effectsDigest }));
    assert.equal(await limitsNow(), '8000.00');
  });

  test('is of one command: another one about something else waits beside it, however long its name is', async () => {
    const long = 'FUNDS RECEIVED FROM THE CUSTOMER ON 2 MARCH, PART';
    const topUp = (part: number) => {
      const body = { currency: 'EUR', amount: '1.00', bankReference: `${long} ${part}` };
      return operate(`${acme.path}/balances/top-ups`, body);
    };
    const [one, two] = [await proposed(topUp(1)), await proposed(topUp(2))];
    assert.notEqual(one.subject, two.subject);
    await refused('already_exists', topUp(2), { subject: two.subject });
    await succeed(200, approve(one.approvalId));
    await succeed(200, service.operate('POST', `${APPROVALS}/${two.approvalId}/reject`));
  });

  test('needs a reason, which the second person reads', async () => {
    const path = `${acme.path}/limits`;
    assert.deepEqual(await fieldErrors(service.operate('PUT', path, limits('9000.00'))), [
      ['/header/Firmquote-Reason', 'required'],
    ]);
    const first = await proposed(setLimits('9000.00'));
    assert.equal(first.reason, 'größere Grenzen');
    await succeed(200, service.operate('POST', `${APPROVALS}/${first.approvalId}/reject`));
    const because = (reason: string) =>
      service.operate('PUT', path, limits('9000.00'), { 'Firmquote-Reason': reason });
    // What is ASCII is sent as it is, a percent sign too.
    const percent = await proposed(because('10% more, by 5%ab of all'));
    assert.equal(percent.reason, '10% more, by 5%ab of all');
    // Nobody can know in which coding this is.
    assert.deepEqual(await fieldErrors(because('f\u00c3\u00bcr alle')), [
      ['/header/Firmquote-Reason', 'wrong_format'],
    ]);
    assert.deepEqual(await fieldErrors(because('  ')), [['/header/Firmquote-Reason', 'required']]);
    await refused('already_exists', setLimits('9500.00'));
    assert.equal(await limitsNow(), '8000.00');
  });

  async function uuidOfCustomer(): Promise<string> {
    const { rows } = await service.pool.query<{ id: string }>(
      "select id from customers where name = 'Acme Ltd'",
    );
    return rows[0]?.id ?? '';
  }
});

test('a dry run tells what would change, whether it takes two and why, and does nothing', async () => {
  const token = await tokenOf(['operator:approvals']);
  const setsLimits = await tokenOf(['operator:limits']);
  const funds = await tokenOf(['operator:funding']);
  await movesNothing(async () => {
    const dryRun = (operationId: string, params: object, body: unknown) =>
      service.operate('POST', `${POLICY}/dry-run`, { operationId, params, body });
    const { customerId } = acme;
    const tried = await succeed(200, dryRun('addSettlementInstruction', { customerId }, OTHER_ACCOUNT));
    assert.deepEqual([tried.body.kind, tried.body.needsTwo], ['settlement_instruction', true]);
    assert.deepEqual(tried.body.why, ['The policy requires two people.']);
    assert.ok(tried.body.effects.some(({ at }: { at: string }) => at === '/accountMasked'));
    const house = await succeed(
      200,
      dryRun(
        'setCollectionAccount',
        { currency: 'EUR' },
        { accountHolder: 'House', iban: 'GB29NWBK60161331926819' },
      ),
    );
    assert.match(house.body.affected.join(), /active customers/);
    assert.deepEqual(await fieldErrors(dryRun('nothing', {}, {})), [['/operationId', 'not_permitted']]);
    const wrong = dryRun('addSettlementInstruction', { customerId }, { currency: 'EUR' });
    assert.deepEqual(await fieldErrors(wrong), [['/accountHolder', 'required']]);
    // What the address would be without is told, and what it has no place for.
    const nameless = dryRun('setCollectionAccount', { customerId }, { accountHolder: 'House' });
    assert.deepEqual(await fieldErrors(nameless), [
      ['/params/customerId', 'unknown_field'],
      ['/params/currency', 'required'],
    ]);
    const noOne = dryRun('addSettlementInstruction', { customerId: 'cus_x' }, OTHER_ACCOUNT);
    await refused('customer_not_found', noOne);
    const path = `${POLICY}/dry-run`;
    // Who may send the command may try it, and needs nothing else; what it may not read it is not told either.
    const limits = (await service.operate('GET', `${acme.path}/limits`)).body;
    const { version: _, customerId: __, ...own } = limits;
    const lower = {
      operationId: 'setCustomerLimits',
      params: { customerId },
      body: { ...own, dailyVolume: '1.00' },
    };
    const shown = await succeed(200, service.call('POST', path, { token: setsLimits, body: lower }));
    assert.deepEqual(
      shown.body.effects.find(({ at }: { at: string }) => at === '/dailyVolume'),
      { at: '/dailyVolume', before: limits.dailyVolume, after: '1.00' },
    );
    const topUp = {
      operationId: 'topUpBalance',
      params: { customerId },
      body: { currency: 'EUR', amount: '1.00', bankReference: 'TRIED' },
    };
    const blind = await succeed(200, service.call('POST', path, { token: funds, body: topUp }));
    assert.ok(blind.body.effects.every((each: { before: unknown }) => each.before === null));
    await refused('insufficient_scope', service.call('POST', path, { token: funds, body: lower }), {
      requiredScope: 'operator:limits',
    });
    const body = { operationId: 'setCustomerLimits', params: { customerId }, body: {} };
    await refused('insufficient_scope', service.call('POST', path, { token, body }), {
      requiredScope: 'operator:limits',
    });
  });
});

async function operatorClient(scopes: readonly string[]) {
  const made = await proposed(operate('/v1/operator/clients', { name: 'narrow', scopes }));
  const { body } = await succeed(200, approve(made.approvalId));
  return { clientId: body.result.clientId as string, clientSecret: made.clientSecret as string };
}

/** Another client of the second person, which the first one approves. */
async function clientOfSecond(scopes: readonly string[]) {
  const made = await proposed(
    service.call('POST', '/v1/operator/clients', {
      token: second,
      body: { name: 'narrow', scopes },
      headers: REASON,
    }),
  );
  const { body } = await succeed(200, approve(made.approvalId, service.operatorToken));
  const clientId: string = body.result.clientId;
  return { clientId, token: await service.token(clientId, made.clientSecret) };
}

async function tokenOf(scopes: readonly string[]): Promise<string> {
  const { clientId, clientSecret } = await operatorClient(scopes);
  return service.token(clientId, clientSecret);
}

describe('whoever may no longer', () => {
  const setLimits = (token: string, daily: string) =>
    service.call('PUT', `${acme.path}/limits`, {
      token,
      headers: REASON,
      body: {
        currency: 'USD',
        dailyVolume: daily,
        openPosition: daily,
        singleTrade: daily,
        maxOpenQuotes: 10,
      },
    });
  const setScopes = (clientId: string, set: string) =>
    service.pool.query(`update oauth_clients set ${set} where id = $1`, [uuidOf('cli', clientId)]);

  test('has nothing approved that it proposed, and approves nothing', async () => {
    const { items } = (await service.operate('GET', `${APPROVALS}?status=pending`)).body;
    for (const { approvalId } of items) await service.operate('POST', `${APPROVALS}/${approvalId}/reject`);
    const { clientId, clientSecret } = await operatorClient(['operator:limits', 'operator:approvals']);
    const token = await service.token(clientId, clientSecret);
    // Not the one that others use: the service holds a client's state for seconds.
    const narrow = await clientOfSecond(['operator:limits', 'operator:approvals']);
    const { approvalId } = await proposed(setLimits(token, '4000.00'));
    await movesNothing(async () => {
      const may = `scopes = '{operator:limits,operator:approvals}'`;
      for (const without of [`scopes = '{operator:approvals}'`, `status = 'suspended'`]) {
        await setScopes(clientId, without);
        await refused('proposal_outdated', approve(approvalId));
        await setScopes(clientId, `${may}, status = 'active'`);
      }
      await setScopes(narrow.clientId, `scopes = '{operator:approvals}'`);
      await refused('insufficient_scope', approve(approvalId, narrow.token), {
        requiredScope: 'operator:limits',
      });
      const limits = await service.operate('GET', `${acme.path}/limits`);
      assert.notEqual(limits.body.dailyVolume, '4000.00');
    });
  });
});

test('a new account waits, is shown to wait, and is released by two persons or by time', async () => {
  await setPolicy({ ...STRICT, accountWaitHours: 24 });
  const path = `${acme.path}/settlement-instructions`;
  const added = async (iban: string) => {
    const { approvalId } = await proposed(
      operate(path, { ...OTHER_ACCOUNT, iban, bankCountry: iban.slice(0, 2) }),
    );
    return (await succeed(200, approve(approvalId))).body.result;
  };
  const excluded = async () => {
    const query = 'currency=EUR&valueDate=2026-03-06';
    const { body } = await service.operate('GET', `/v1/operator/settlement-runs/preview?${query}`);
    return body.excluded
      .filter((each: { customerId: string }) => each.customerId === acme.customerId)
      .map((each: { reason: string; amount: string }) => `${each.amount} ${each.reason}`);
  };
  const first = await added('NL91ABNA0417164300');
  const waits = Date.parse(first.usableFrom) - Date.parse(first.createdAt);
  assert.equal(waits, 24 * 3_600_000);
  const body = { currency: 'EUR', amount: '12.00' };
  const headers = { 'Idempotency-Key': 'waits' };
  await succeed(201, acme.post('/v1/customer/balances/withdrawals', body, headers));
  assert.ok((await excluded()).includes('12.00 account_waits'));
  const release = await proposed(operate(`${path}/${first.settlementInstructionId}/release`, undefined));
  assert.ok((await excluded()).includes('12.00 account_waits'), 'one person does not release it');
  assert.equal((await succeed(200, approve(release.approvalId))).body.result.usableFrom, null);
  assert.ok(!(await excluded()).includes('12.00 account_waits'));
  const second = await added('DE75512108001245126199');
  assert.notEqual(second.usableFrom, null);
  await moveClock(service, { advanceSeconds: 24 * 3_600 });
  const { items } = (await service.operate('GET', `${path}?currency=EUR&status=active`)).body;
  assert.deepEqual(
    items.map((each: { accountMasked: string; usableFrom: string | null }) => each.usableFrom),
    [null],
  );
});

test('what two persons would have had to do, and one tried, is on the audit trail', async () => {
  await refusalsAreReported(service, [
    'second_person_required', // another client of the one who asked
    'invalid_state_transition', // approved before
    'proposal_outdated', // the one who asked may not any more
    'insufficient_scope', // the one who approves may not any more
  ]);
});
