import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { describe, test } from 'node:test';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problems/problem.ts';
import type { Authenticator } from './access.ts';
import { HeldPolls, untilHangUp } from './held-polls.ts';

const LONG = 60;
const MOST = 10;
const everybody: Authenticator = {
  authenticate: () => ({
    ...{ actor: { kind: 'client', id: 'a program' }, personId: undefined, tokenId: 'its token' },
    ...{ customerId: 'acme', scopes: new Set<string>() },
  }),
};

/** What a test says is there to be found, and polls that look for it. */
function watched() {
  const found = new Map<string, string>();
  let looks = 0;
  const polls = new HeldPolls(everybody);
  const held = (customer: string, gone = new AbortController().signal, seconds = LONG) =>
    polls.hold(customer, seconds, gone, async () => {
      looks++;
      return found.get(customer);
    });
  return { polls, held, found, looks: () => looks };
}

describe('a held read', () => {
  test('is answered with the next look after a change, every quarter of a second', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { held, found, looks } = watched();
    let answer: string | undefined;
    const waiting = held('acme').then((what) => {
      answer = what;
    });
    const pass = async (ms: number) => {
      t.mock.timers.tick(ms);
      await new Promise(setImmediate);
    };
    await pass(249);
    assert.equal(looks(), 0);
    await pass(1);
    assert.deepEqual([looks(), answer], [1, undefined]);
    found.set('acme', 'news');
    await pass(250);
    await waiting;
    assert.equal(answer, 'news');
  });

  test('of no time is answered at once', async () => {
    const { held, looks } = watched();
    assert.equal(await held('acme', undefined, 0), undefined);
    assert.equal(looks(), 0);
  });

  test('ends with the caller, and with the service', async () => {
    const { polls, held } = watched();
    const caller = new AbortController();
    const leaving = held('acme', caller.signal);
    caller.abort();
    assert.equal(await leaving, undefined);
    const others = [held('acme'), held('other')];
    polls.close();
    assert.deepEqual(await Promise.all(others), [undefined, undefined]);
    assert.equal(await held('acme'), undefined, 'none is held any more');
  });

  test('is not begun for a caller that has left before', async () => {
    const socket = new Socket();
    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
    const request = { raw: { socket } } as unknown as FastifyRequest;
    assert.ok(await untilHangUp(request, async (gone) => gone.aborted));
  });

  test('ends for who may not ask any more, who is told nothing of what was found since', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    let isRevoked = false;
    const polls = new HeldPolls({
      authenticate: (...asked) => {
        if (isRevoked) throw new Problem('token_invalid', 'The access token was revoked.');
        return everybody.authenticate(...asked);
      },
    });
    const request = {
      ...{ headers: {}, ip: '192.0.2.1', routeOptions: { config: {} } },
      raw: { socket: new Socket() },
    } as unknown as FastifyRequest;
    const reply = { getHeader: () => undefined, header: () => undefined } as unknown as FastifyReply;
    const poll = polls.waitFor(request, reply, LONG, 'acme', async () => (isRevoked ? 'news' : undefined));
    const refused = assert.rejects(poll, { code: 'token_invalid' });
    t.mock.timers.tick(250);
    await new Promise(setImmediate);
    isRevoked = true;
    t.mock.timers.tick(250);
    await refused;
  });

  test('is one of ten of a customer, whoever else waits; each that ends makes room', async () => {
    const { polls, held } = watched();
    const callers = Array.from({ length: MOST }, () => new AbortController());
    const waiting = callers.map(({ signal }) => held('acme', signal));
    const tooMany = {
      code: 'rate_limited',
      message: /^The customer already has 10 requests/,
      members: { 'violated-policies': ['held'] },
      headers: { 'Retry-After': '1' },
    };
    await assert.rejects(held('acme'), tooMany);
    waiting.push(held('other'));
    callers[0]?.abort();
    await waiting[0];
    waiting.push(held('acme'));
    await assert.rejects(held('acme'), tooMany);
    polls.close();
    await Promise.all(waiting);
  });
});
