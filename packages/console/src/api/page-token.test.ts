import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PageToken, type TokenOfSession } from './page-token.ts';

const refused = (code: string) => Response.json({ code }, { status: 403 });
const ADA = { personId: 'person_ada', csrfToken: 'old' };

/** A service of one session, and what it was asked with. */
function start(session: TokenOfSession | undefined) {
  const asked: (string | null)[] = [];
  let others = 0;
  const page = new PageToken({
    async fetch(_input, init) {
      const token = new Headers(init?.headers).get('x-csrf-token');
      asked.push(token);
      if (init?.method === 'GET') return Response.json({});
      return token === session?.csrfToken
        ? Response.json({ key: new Headers(init?.headers).get('idempotency-key'), body: init?.body })
        : refused('cross_site_request');
    },
    async readSession() {
      if (session === undefined) throw new Error('the network is away');
      return session;
    },
    onOtherPerson: () => {
      others += 1;
    },
  });
  page.take(ADA);
  return { asked, page, others: () => others };
}

const POST = { method: 'POST', body: '{"a":1}', headers: { 'idempotency-key': 'k' } };

test('what was refused for a sign-in in another tab is sent once more, as it was, and with the new token from then on', async () => {
  const { asked, page, others } = start({ personId: 'person_ada', csrfToken: 'new' });
  const answer = await page.fetch('/v1/operator/x', POST);
  assert.deepEqual([answer.status, await answer.json()], [200, { key: 'k', body: '{"a":1}' }]);
  await page.fetch('/v1/operator/x', POST);
  await page.fetch('/v1/operator/x', { method: 'GET' });
  assert.deepEqual([asked, others()], [['old', 'new', 'new', null], 0]);
});

test('nothing is sent for somebody else, and the page is told', async () => {
  const { asked, page, others } = start({ personId: 'person_bob', csrfToken: 'new' });
  const answer = await page.fetch('/v1/operator/x', POST);
  assert.deepEqual([answer.status, await answer.json()], [403, { code: 'cross_site_request' }]);
  assert.deepEqual([asked, others()], [['old'], 1]);
});

test('a refusal that has other reasons, or none that a session ends, stands', async () => {
  for (const session of [undefined, { personId: 'person_ada', csrfToken: 'old' }]) {
    const { asked, page } = start(session);
    const answer = await page.fetch('/v1/operator/x', POST);
    assert.equal(answer.status, session === undefined ? 403 : 200);
    assert.deepEqual(asked, ['old']);
  }
  for (const answer of [refused('insufficient_scope'), new Response('no', { status: 403 })]) {
    let times = 0;
    const page = new PageToken({
      fetch: async () => {
        times += 1;
        return answer;
      },
      readSession: () => assert.fail('nothing is read'),
      onOtherPerson: () => assert.fail('nobody came'),
    });
    page.take(ADA);
    assert.equal(await page.fetch('/v1/operator/x', POST), answer);
    assert.equal(times, 1);
  }
});
