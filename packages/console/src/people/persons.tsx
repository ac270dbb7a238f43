import type { InvitedPerson, Person } from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { Action } from '../parts/action.tsx';
import { Choice, type Column, Listing } from '../parts/listing.tsx';
import { type Secret, shownOnce } from '../parts/secrets.tsx';
import { Empty } from '../parts/states.tsx';
import { At, Status, Verbatim } from '../parts/text.tsx';
import { check } from '../parts/written-forms.ts';
import { namesOf, ROLES_ASKED } from './roles-asked.ts';

/** Persons who act for the house, and what is done about each. */

export function Persons() {
  return (
    <>
      <div className="filters">
        <Choice
          name="status"
          label="Status"
          options={[
            ['invited', 'Invited'],
            ['active', 'Active'],
            ['suspended', 'Suspended'],
            ['ended', 'Ended'],
          ]}
        />
        <Action
          name="invite"
          label="Invite a person"
          action="Invite"
          isFirst
          scope="operator:people"
          why="person"
          asks={[
            { name: 'email', label: 'E-mail', check: check(/^\S+@\S+\.\S+$/, 'Enter an e-mail address.') },
            { name: 'name', label: 'Name' },
            ROLES_ASKED(),
          ]}
          send={({ email = '', name = '', roles }, { idempotencyKey, reason }) =>
            operator.invitePerson(
              { email: email.trim(), name: name.trim(), roles: namesOf(roles) },
              { idempotencyKey, reason },
            )
          }
          secretOf={linkOf}
          done="The person is invited."
        />
      </div>
      <Listing
        name="Persons"
        filters={['status']}
        read={(query, cursor) => operator.listPersons({ ...query, cursor, limit: 50 } as never)}
        columns={PERSONS}
        idOf={({ personId }) => personId}
        empty={<Empty title="No persons yet" />}
      />
    </>
  );
}

function linkOf(answer: object): readonly Secret[] {
  return shownOnce(['Invitation link', (answer as InvitedPerson).invitationLink]);
}

const PERSONS: readonly Column<Person>[] = [
  { name: 'Name', isText: true, cell: ({ name }) => <Verbatim text={name} /> },
  { name: 'E-mail', isText: true, cell: ({ email }) => <Verbatim text={email} /> },
  { name: 'Roles', isText: true, cell: ({ roles }) => roles.join(', ') },
  {
    name: 'Status',
    cell: ({ status, invitationEndsAt }) => (
      <>
        <Status of={status} mood={status === 'active' ? 'ok' : status === 'invited' ? 'idle' : 'warn'} />
        {status === 'invited' && invitationEndsAt !== null && (
          <div className="hint">
            until <At at={invitationEndsAt} />
          </div>
        )}
      </>
    ),
  },
  { name: 'Actions', cell: (person) => <PersonWork of={person} /> },
];

function PersonWork({ of }: { readonly of: Person }) {
  const { personId, name, email, status, roles } = of;
  const session = useSession();
  if (personId === session.personId) return 'You';
  const isEnded = status === 'ended';
  return (
    <span className="actions">
      {isEnded && '–'}
      <Action
        isOver={isEnded}
        name={`roles-${personId}`}
        label="Roles"
        title={`Roles of ${name}`}
        action="Set roles"
        scope="operator:people"
        why="person"
        asks={[ROLES_ASKED(roles.join(', '))]}
        send={(given, { reason }) =>
          operator.setPersonRoles(personId, { roles: namesOf(given.roles) }, { reason })
        }
        done="The roles are set. The person must sign in again."
      />
      <Invitation of={of} />
      <Action
        isOver={status !== 'suspended'}
        name={`resume-${personId}`}
        label="Resume"
        title={`Let ${name} sign in again`}
        scope="operator:people"
        why="person"
        send={(_, { reason }) => operator.resumePerson(personId, { reason })}
        done="The person can sign in again."
      />
      <Action
        isOver={isEnded || status === 'suspended'}
        name={`suspend-${personId}`}
        label="Suspend"
        title={`Suspend ${name}`}
        scope="operator:people"
        send={() => operator.suspendPerson(personId)}
        done="The person is suspended."
      >
        <p>All their sessions end. Programs they answer for keep running, but approve nothing.</p>
      </Action>
      <RemovePerson of={{ personId, name, email, status }} />
    </span>
  );
}

function Invitation({ of: { personId, name, status, invitationEndsAt } }: { readonly of: Person }) {
  return (
    <>
      <Action
        isOver={status !== 'invited'}
        name={`invitation-${personId}`}
        label="New link"
        title={`New link for ${name}`}
        scope="operator:people"
        why="person"
        send={(_, options) => operator.renewInvitation(personId, options)}
        secretOf={linkOf}
        done="The old link no longer works."
      />
      <Action
        isOver={status !== 'invited' || invitationEndsAt === null}
        name={`no-invitation-${personId}`}
        label="Withdraw the link"
        title={`Withdraw the link of ${name}`}
        scope="operator:people"
        send={() => operator.withdrawInvitation(personId)}
        done="The link no longer works."
      >
        <p>The person stays, and can be sent another link.</p>
      </Action>
    </>
  );
}

function RemovePerson({
  of: { personId, name, email, status },
}: {
  readonly of: Pick<Person, 'personId' | 'name' | 'email' | 'status'>;
}) {
  return (
    <Action
      isOver={status === 'ended'}
      name={`end-${personId}`}
      label="Remove"
      title={`Remove ${name} for good`}
      scope="operator:people"
      typed={{ text: email, label: 'E-mail of the person' }}
      send={() => operator.endPerson(personId)}
      done="The person is removed."
    >
      <p>All their sessions end, and nobody can let them in again. What they did stays on record.</p>
    </Action>
  );
}
