import { listActors } from '@firmquote/api/operations/actors';
import * as api from '@firmquote/api/operations/people';
import type { FastifyInstance } from 'fastify';
import { type Call, type Result, serve } from '../http/serve.ts';
import { readActors } from './actors.ts';
import { changePerson, resumed, showPerson } from './change-person.ts';
import { endInvitation, type Invited, invitePerson, renewInvitation } from './invite-person.ts';
import type { PeopleRoom } from './room.ts';
import { listSessions } from './session-store.ts';
import { end, sessionNotFound } from './sessions.ts';
import { listPersons } from './store.ts';
import { personView, sessionView } from './view.ts';

/** Persons and their sessions, for those who manage them. */
export function personRoutes(app: FastifyInstance, room: PeopleRoom): void {
  serve(app, api.listPersons, async ({ query, page }) => {
    const rows = await listPersons(room.pool, query.status, page.afterId, page.rows);
    return { body: page.of(rows, (row) => [row.id], personView) };
  });
  serve(app, listActors, async ({ query }) => ({
    body: { items: await readActors(room.pool, query.ids) },
  }));
  serve(app, api.getPerson, async ({ params }) => ({
    body: personView(await showPerson(room, params.personId)),
  }));
  serve(app, api.invitePerson, async ({ request, body, caller, carried, inCommit }) => {
    const path = request.url.split('?', 1)[0] ?? '';
    const made = inCommit((invited: Invited) => {
      const answer = invitationAnswer(invited);
      return { ...answer, headers: { ...NO_STORE, Location: `${path}/${answer.body.personId}` } };
    });
    await invitePerson(room, body, caller, shownHash(carried), made);
    return undefined;
  });
  serve(app, api.renewInvitation, async ({ params, caller, carried, inCommit }) => {
    const renewed = inCommit(invitationAnswer);
    await renewInvitation(room, params.personId, caller, shownHash(carried), renewed);
    return undefined;
  });
  serve(app, api.withdrawInvitation, async ({ params }) => {
    await endInvitation(room, params.personId);
    return {};
  });
  serve(app, api.setPersonRoles, async (call) =>
    changeAndShow(room, call, (person) => ({ ...person, roles: call.body.roles })),
  );
  serve(app, api.suspendPerson, async (call) =>
    changeAndShow(room, call, (person) => ({ ...person, status: 'suspended' }), ['active', 'invited']),
  );
  serve(app, api.resumePerson, async (call) => changeAndShow(room, call, resumed, ['suspended']));
  serve(app, api.endPerson, async (call) => {
    await changeAndShow(room, call, (person) => ({ ...person, status: 'ended' }));
    return {};
  });
  serve(app, api.listSessions, async ({ query, page }) => {
    const now = room.realClock.now();
    const filter = { personId: query.personId, now, idleSince: now - room.rules.idleMs };
    const rows = await listSessions(room.pool, filter, page.afterId, page.rows);
    return { body: page.of(rows, (row) => [row.id], sessionView) };
  });
  serve(app, api.endSession, async ({ params }) => {
    if ((await end(room, { id: params.sessionId })) === 0) throw sessionNotFound();
    return {};
  });
}

const NO_STORE = { 'Cache-Control': 'no-store' };

function invitationAnswer({ person, link }: Invited) {
  const body = { ...personView(person), invitationLink: link ?? null };
  return { headers: NO_STORE, body, ...(link === undefined && { holdsSecret: false as const }) };
}

/** A second person may have approved the link that somebody was shown: that one is kept. */
function shownHash(carried: Call<typeof api.invitePerson>['carried']): Buffer | undefined {
  return carried?.secretHash === undefined ? undefined : Buffer.from(carried.secretHash, 'hex');
}

type Changing = Pick<Call<typeof api.suspendPerson>, 'params' | 'caller'>;

async function changeAndShow(
  room: PeopleRoom,
  { params, caller }: Changing,
  to: Parameters<typeof changePerson>[3],
  from?: Parameters<typeof changePerson>[4],
): Promise<Result> {
  return { body: personView(await changePerson(room, params.personId, caller, to, from)) };
}
