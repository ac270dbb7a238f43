import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { createCustomer, moveClock, refused, startExampleService, succeed } from './support/acceptance.ts';
import { fourEyes } from './support/four-eyes.ts';
import { price, RULES, setRules } from './support/pricing.ts';
import type { Answer, TestService } from './support/service.ts';

/** What spreads were in force when, who changed them, and going back to an earlier version, over HTTP (docs/pricing.md). */

const VERSIONS = `${RULES}/versions`;
type Body = Answer['body'];
let service: TestService;

before(async () => {
  service = await startExampleService();
});

const versions = async (query = ''): Promise<Body[]> =>
  (await succeed(200, service.operate('GET', `${VERSIONS}${query}`))).body.items;
const version = async (number: number, query = ''): Promise<Body> =>
  (await succeed(200, service.operate('GET', `${VERSIONS}/${number}${query}`))).body;
const draftTag = async () => (await service.operate('GET', `${RULES}/draft`)).headers.get('ETag') ?? '';
/** Target and spread of both sides of a difference. */
const reported = ({ differences }: Body) =>
  differences.map(({ before: was, after: is }: Body) => [
    (is ?? was).pair,
    was?.spreadBps ?? null,
    is?.spreadBps ?? null,
  ]);

describe('the history of spreads', () => {
  test('each version says what changed, from when until when, and by whom', async () => {
    const [start] = await versions();
    const { body: first } = await setRules(service, [
      { spreadBps: '20' },
      { pair: 'EURUSD', spreadBps: '15' },
      { pair: 'USDJPY', spreadBps: '12' },
    ]);
    await moveClock(service, { advanceSeconds: 60 });
    const [standard, euro] = first.rules;
    const reason = { 'Firmquote-Reason': 'a quieter market' };
    const { body: second } = await succeed(
      200,
      service.operate(
        'PUT',
        RULES,
        {
          rules: [
            { ruleId: standard.ruleId, spreadBps: '20' },
            { ruleId: euro.ruleId, pair: 'EURUSD', spreadBps: '9.5' },
            { pair: 'GBPUSD', spreadBps: '11' },
          ],
        },
        { ...reason, 'If-Match': `"v${first.version}"` },
      ),
    );
    const [newest, former] = await versions();
    assert.deepEqual(
      [newest.version, newest.added, newest.changed, newest.removed, newest.ruleCount, newest.reason],
      [second.version, 1, 1, 1, 3, 'a quieter market'],
    );
    assert.deepEqual(
      [former.version, former.added, former.removed, former.ruleCount],
      [first.version, 3, start.ruleCount, 3],
    );
    assert.match(newest.changedBy, /^cli_/);
    assert.deepEqual([newest.approvalId, newest.approvedBy, newest.restores], [null, null, null]);
    assert.equal(newest.inForceUntil, null);
    assert.equal(former.inForceUntil, newest.inForceFrom);
    assert.equal(Date.parse(newest.inForceFrom) - Date.parse(former.inForceFrom) >= 60_000, true);

    assert.deepEqual(reported(await version(second.version)), [
      ['USDJPY', '12.00', null],
      ['EURUSD', '15.00', '9.50'],
      ['GBPUSD', null, '11.00'],
    ]);
    const { rules, against } = await version(first.version, `?against=${second.version}`);
    assert.deepEqual([rules, against], [first.rules, second.version]);
    assert.deepEqual(reported(await version(first.version, `?against=${first.version}`)), []);
  });

  test('an instant finds the version that was in force then, and pages go back to the first', async () => {
    const all = await versions();
    const [newest, former] = all;
    const at = async (instant: string) =>
      (await versions(`?at=${instant}`)).map(({ version: number }) => number);
    assert.deepEqual(await at(newest.inForceFrom), [newest.version]);
    const moment = new Date(Date.parse(newest.inForceFrom) - 1).toISOString();
    assert.deepEqual(await at(moment), [former.version]);
    assert.deepEqual(await at('2000-01-01T00:00:00Z'), [1], 'nothing was in force');
    const page = await succeed(200, service.operate('GET', `${VERSIONS}?limit=1`));
    const next = `${VERSIONS}?limit=1&cursor=${page.body.nextCursor}`;
    assert.equal((await succeed(200, service.operate('GET', next))).body.items[0].version, former.version);
  });

  test('an earlier version comes back as a new one, and prices as it did', async () => {
    const acme = await createCustomer(service);
    const [newest, former] = await versions();
    assert.equal((await price(acme)).body.pricing.spreadBps, '9.50');
    const stale = { 'If-Match': await draftTag() };
    const draft = await succeed(
      200,
      service.operate('POST', `${VERSIONS}/${former.version}/restore`, undefined, stale),
    );
    assert.deepEqual([draft.body.restores, draft.body.basedOn], [former.version, newest.version]);
    assert.equal((await price(acme)).body.pricing.spreadBps, '9.50', 'a draft prices nothing');
    await refused(
      'version_mismatch',
      service.operate('POST', `${VERSIONS}/${former.version}/restore`, undefined, stale),
    );
    const tag = { 'If-Match': draft.headers.get('ETag') ?? '' };
    const restored = await succeed(200, service.operate('POST', `${RULES}/draft/activate`, undefined, tag));
    assert.equal(restored.body.version, newest.version + 1);
    assert.equal((await price(acme)).body.pricing.spreadBps, '15.00');
    const [now] = await versions();
    assert.deepEqual([now.version, now.restores], [newest.version + 1, former.version]);
    assert.deepEqual(reported(await version(now.version, `?against=${former.version}`)), [], 'as it was');
    const kept = await version(newest.version);
    assert.deepEqual(
      kept.rules.map(({ spreadBps }: Body) => spreadBps),
      ['20.00', '9.50', '11.00'],
      'what was in between stays as it was',
    );
    const body = { rules: [{ spreadBps: '30' }] };
    const other = await succeed(200, service.operate('PUT', `${RULES}/draft`, body, { 'If-Match': '*' }));
    assert.equal(other.body.restores, null, 'a draft of somebody else restores nothing');
  });

  test('what is not there is said so', async () => {
    for (const [method, path] of [
      ['GET', `${VERSIONS}/99`],
      ['GET', `${VERSIONS}/1?against=99`],
      ['POST', `${VERSIONS}/99/restore`],
    ] as const) {
      await refused(
        'spread_version_not_found',
        service.operate(method, path, undefined, { 'If-Match': '*' }),
      );
    }
    await refused('precondition_required', service.operate('POST', `${VERSIONS}/1/restore`));
    await refused('validation_failed', service.operate('GET', `${VERSIONS}/first`));
    const eyes = await fourEyes(service);
    const token = await eyes.narrowToken(['operator:reports']);
    await refused('insufficient_scope', service.call('GET', VERSIONS, { token }));
    const reader = await eyes.narrowToken(['operator:pricing:read']);
    assert.equal((await service.call('GET', VERSIONS, { token: reader })).status, 200);
    await refused(
      'insufficient_scope',
      service.call('POST', `${VERSIONS}/1/restore`, { token: reader, headers: { 'If-Match': '*' } }),
    );
  });

  test('where it takes two persons, both stand beside the version, and going back takes two as well', async () => {
    const eyes = await fourEyes(service);
    await eyes.setPolicy({ pricing: 'always' });
    const [before] = await versions();
    const restore = `${VERSIONS}/${before.version - 1}/restore`;
    const draft = await succeed(200, service.operate('POST', restore, undefined, { 'If-Match': '*' }));
    const tag = { 'If-Match': draft.headers.get('ETag') ?? '' };
    const { approvalId, proposedBy } = await eyes.proposed('POST', `${RULES}/draft/activate`, undefined, tag);
    assert.equal((await versions())[0].version, before.version, 'nothing yet');
    const approved = await succeed(200, eyes.approve(approvalId));
    const [now] = await versions();
    assert.deepEqual(
      [now.restores, now.approvalId, now.changedBy, now.approvedBy, now.reason],
      [before.version - 1, approvalId, proposedBy, approved.body.decidedBy, 'rules of the house'],
    );
    assert.notEqual(now.changedBy, now.approvedBy);
  });
});
