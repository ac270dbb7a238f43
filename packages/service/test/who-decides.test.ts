import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { OPERATIONS } from '@firmquote/api';
import { JUDGED } from '@firmquote/api/four-eyes';
import { READY_PERSONS } from '../src/people/ready-persons.ts';
import { startExampleService, succeed } from './support/acceptance.ts';
import { type FourEyes, fourEyes } from './support/four-eyes.ts';
import type { TestService } from './support/service.ts';

/** What a proposal tells whoever reads it of what they may do with it, and what comes of it when they do. */

const APPROVALS = '/v1/operator/approvals';
const WHY = { 'Firmquote-Reason': 'they have grown' };

type Person = Awaited<ReturnType<FourEyes['person']>>;

let service: TestService;
let eyes: FourEyes;
let dana: Person;
let olu: Person;
let ada: Person;

before(async () => {
  service = await startExampleService();
  eyes = await fourEyes(service);
  await eyes.setPolicy();
  [dana, olu, ada] = await Promise.all([
    eyes.person('dealer@sandbox.example'),
    eyes.person('operations@sandbox.example'),
    eyes.person('approver@sandbox.example'),
  ]);
});

/** Limits that somebody proposes. */
async function limitsBy(person: Person): Promise<string> {
  const path = `${eyes.buyer.path}/limits`;
  const { headers, body } = await succeed(200, person('GET', path));
  const { dailyVolume, rates: _, ...others } = body;
  const raised = { ...others, dailyVolume: `${BigInt(Number.parseInt(dailyVolume, 10)) + 1n}.00` };
  const ifMatch = { 'If-Match': headers.get('ETag') ?? '' };
  const asked = await succeed(202, person('PUT', path, raised, { ...WHY, ...ifMatch }));
  assert.equal(asked.body.deciding, undefined, 'the answer is kept: it is of whoever repeats it too');
  return `${APPROVALS}/${asked.body.approvalId}`;
}

const ofList = async (person: Person, url: string) => {
  const { items } = (await succeed(200, person('GET', `${APPROVALS}?status=pending`))).body;
  return items.find(({ approvalId }: { approvalId: string }) => url.endsWith(approvalId)).deciding;
};

test('each reader is told whether they may approve, as the service judges it', async () => {
  const url = await limitsBy(ada);
  const readers = [
    [dana, false, 'insufficient_scope', 'operator:limits', false, 'insufficient_scope'],
    [ada, false, 'own', null, true, 'second_person_required'],
    [olu, true, null, null, true, undefined],
  ] as const;
  for (const [person, mayApprove, whyNot, requiredScope, mayReject, code] of readers) {
    const reported = { mayApprove, mayReject, whyNot, requiredScope };
    assert.deepEqual((await succeed(200, person('GET', url))).body.deciding, reported);
    assert.deepEqual(await ofList(person, url), reported);
    const decided = await person('POST', `${url}/approve`);
    assert.deepEqual([decided.status === 200, decided.body.code], [mayApprove, code]);
  }
  const over = { mayApprove: false, mayReject: false, whyNot: 'decided', requiredScope: null };
  assert.deepEqual((await succeed(200, olu('GET', url))).body.deciding, over);
});

test('who has lost the right since is no reason to press a button that does nothing', async () => {
  const url = await limitsBy(ada);
  const set = (roles: readonly string[]) =>
    service.database.owner.query("update persons set roles = $1 where email = 'approver@sandbox.example'", [
      roles,
    ]);
  await set(['viewer']);
  const { deciding } = (await succeed(200, olu('GET', url))).body;
  assert.deepEqual([deciding.mayApprove, deciding.mayReject, deciding.whyNot], [false, true, 'outdated']);
  assert.equal((await olu('POST', `${url}/approve`)).body.code, 'proposal_outdated');
  await set(['administrator']);
  await succeed(200, olu('POST', `${url}/reject`));
});

test('somebody who may only read is told which right deciding takes', async () => {
  const url = await limitsBy(olu);
  const token = await eyes.narrowToken(['operator:approvals:read']);
  const { deciding } = (await succeed(200, service.call('GET', url, { token }))).body;
  assert.deepEqual(deciding, {
    ...{ mayApprove: false, mayReject: false },
    ...{ whyNot: 'insufficient_scope', requiredScope: 'operator:approvals' },
  });
  await succeed(200, olu('POST', `${url}/reject`));
});

test('of the ready persons of a sandbox another one may approve whatever one proposes', async () => {
  const scopes = new Set(
    OPERATIONS.flatMap(({ id, access }) => (JUDGED[id] === undefined ? [] : (access?.scope ?? []))),
  );
  const sessions = await Promise.all(
    [dana, olu, ada].map(async (person) => (await person('GET', '/auth/session')).body),
  );
  assert.equal(sessions.length, READY_PERSONS.length);
  const may = (session: { scopes: string[] }, scope: string) =>
    session.scopes.includes('operator:*') || session.scopes.includes(scope);
  for (const scope of [...scopes, 'operator:approvals']) {
    const able = sessions.filter((session) => may(session, scope));
    assert.ok(able.length >= 2, `${scope}: only ${able.map(({ name }) => name)}`);
  }
});
