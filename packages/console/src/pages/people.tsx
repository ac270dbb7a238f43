import type {
  InvitedPerson,
  OperatorClient,
  Person,
  Role,
  Session as Signed,
} from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { Action, type Asked, check, versionTag } from '../parts/action.tsx';
import { Choice, type Column, Listing, Table } from '../parts/listing.tsx';
import { type Secret, shownOnce } from '../parts/secrets.tsx';
import { Empty, View } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { At, Status, Told } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { endOf, OVERLAPS, secretsOfClient } from './credentials.tsx';

/** Who acts for the house: persons, what they may do, where they are signed in, and programs. */
export function People() {
  useTitle('People');
  return (
    <>
      <div className="page-head">
        <h1>People</h1>
      </div>
      <Tabs
        tabs={[
          { name: 'me', text: 'Me', show: () => <Me /> },
          { name: 'persons', text: 'Persons', show: () => <Persons /> },
          { name: 'sessions', text: 'Sessions', show: () => <Sessions /> },
          { name: 'roles', text: 'Roles', show: () => <Roles /> },
          { name: 'clients', text: 'Programs', show: () => <Clients /> },
        ]}
      />
    </>
  );
}

function Me() {
  const session = useSession();
  const sessions = useQuery({
    queryKey: ['own-sessions'],
    queryFn: async () => (await operator.listOwnSessions()).sessions,
  });
  const passkeys = useQuery({ queryKey: ['passkeys'], queryFn: () => operator.listPasskeys() });
  return (
    <div className="stack">
      <p>
        <Told text={session.name} />, {session.email}: {session.roles.join(', ')}
      </p>
      <h2>My sessions</h2>
      <View query={sessions}>
        {(items) => (
          <Table
            label="My sessions"
            items={items}
            idOf={({ sessionId }) => sessionId}
            columns={sessionColumns((id) => operator.endOwnSession(id), 'operator:self')}
          />
        )}
      </View>
      <h2>My passkeys</h2>
      <View query={passkeys}>
        {({ passkeys: items }) =>
          items.length === 0 ? (
            <Empty title="No passkeys">
              <p>You sign in another way. Where passkeys are used, the page of the sign-in makes them.</p>
            </Empty>
          ) : (
            <Table
              label="My passkeys"
              items={items}
              idOf={({ passkeyId }) => passkeyId}
              columns={[
                { name: 'Name', isText: true, cell: ({ name }) => <Told text={name} /> },
                { name: 'Since', cell: ({ createdAt }) => <At at={createdAt} /> },
                {
                  name: 'Last used',
                  cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <At at={lastUsedAt} />),
                },
                {
                  name: 'Work',
                  cell: ({ passkeyId, name }) => (
                    <Action
                      name={`passkey-${passkeyId}`}
                      label="Remove"
                      title={`Remove the passkey ${name}`}
                      scope="operator:self"
                      send={() => operator.removePasskey(passkeyId)}
                      done="The passkey is gone."
                    >
                      <p>Your other sessions end with it.</p>
                    </Action>
                  ),
                },
              ]}
            />
          )
        }
      </View>
      <p>
        <a href="/login?fresh=true">Passkeys and recovery codes are made at the sign-in</a>
      </p>
    </div>
  );
}

function sessionColumns(
  end: (sessionId: string) => PromiseLike<void>,
  scope: string,
): readonly Column<Signed>[] {
  return [
    { name: 'Since', cell: ({ startedAt }) => <At at={startedAt} /> },
    { name: 'Last used', cell: ({ lastUsedAt }) => <At at={lastUsedAt} /> },
    { name: 'From', isText: true, cell: ({ address }) => <span className="mono">{address}</span> },
    { name: 'Browser', isText: true, cell: ({ userAgent }) => <Told text={userAgent ?? '–'} /> },
    ...(scope === 'operator:self'
      ? []
      : [{ name: 'Person', cell: ({ personId }: Signed) => <span className="mono">{personId}</span> }]),
    {
      name: 'Work',
      cell: ({ sessionId, isThisOne }) =>
        isThisOne === true ? (
          'This one'
        ) : (
          <Action
            name={`end-${sessionId}`}
            label="End"
            title="End the session"
            scope={scope}
            send={() => end(sessionId)}
            done="The session is over."
          />
        ),
    },
  ];
}

function Sessions() {
  return (
    <Listing
      name="Sessions"
      filters={[]}
      read={(_, cursor) => operator.listSessions({ cursor, limit: 50 })}
      columns={sessionColumns((id) => operator.endSession(id), 'operator:people')}
      idOf={({ sessionId }) => sessionId}
      empty={<Empty title="Nobody is signed in" />}
    />
  );
}

const ROLES_ASKED = (initial = ''): Asked => ({
  name: 'roles',
  label: 'Roles, separated by commas',
  initial,
  hint: 'Such as dealer, operations, viewer',
  check: check(/^[a-z][a-z0-9_-]*(\s*,\s*[a-z][a-z0-9_-]*)*$/, 'Names of roles, separated by commas.'),
});
const namesOf = (text = '') => text.split(',').map((name) => name.trim());

function Persons() {
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
          why="optional"
          asks={[
            { name: 'email', label: 'E-mail', check: check(/^\S+@\S+\.\S+$/, 'An address of e-mail.') },
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
        empty={<Empty title="Nobody is known" />}
      />
    </>
  );
}

function linkOf(answer: object): readonly Secret[] {
  return shownOnce(['Invitation link', (answer as InvitedPerson).invitationLink]);
}

const PERSONS: readonly Column<Person>[] = [
  { name: 'Name', isText: true, cell: ({ name }) => <Told text={name} /> },
  { name: 'E-mail', isText: true, cell: ({ email }) => <Told text={email} /> },
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
  { name: 'Work', cell: (person) => <PersonWork of={person} /> },
];

function PersonWork({ of: { personId, name, status, roles } }: { readonly of: Person }) {
  const session = useSession();
  if (personId === session.personId) return 'You';
  if (status === 'ended') return '–';
  return (
    <span className="actions">
      <Action
        name={`roles-${personId}`}
        label="Roles"
        title={`Roles of ${name}`}
        action="Set roles"
        scope="operator:people"
        why="optional"
        asks={[ROLES_ASKED(roles.join(', '))]}
        send={(given, { reason }) =>
          operator.setPersonRoles(personId, { roles: namesOf(given.roles) }, { reason })
        }
        done="The roles are set. The person signs in anew."
      />
      {status === 'invited' && (
        <Action
          name={`invitation-${personId}`}
          label="New link"
          title={`Another link for ${name}`}
          scope="operator:people"
          why="optional"
          send={(_, options) => operator.renewInvitation(personId, options)}
          secretOf={linkOf}
          done="The former link works no more."
        />
      )}
      {status === 'suspended' ? (
        <Action
          name={`resume-${personId}`}
          label="Resume"
          title={`Let ${name} sign in again`}
          scope="operator:people"
          why="optional"
          send={(_, { reason }) => operator.resumePerson(personId, { reason })}
          done="The person signs in again."
        />
      ) : (
        <Action
          name={`suspend-${personId}`}
          label="Suspend"
          title={`Suspend ${name}`}
          scope="operator:people"
          send={() => operator.suspendPerson(personId)}
          done="The person is suspended."
        >
          <p>All sessions of the person end. Programs that it answers for go on, and approve nothing.</p>
        </Action>
      )}
    </span>
  );
}

function Roles() {
  const query = useQuery({ queryKey: ['roles'], queryFn: async () => (await operator.listRoles()).roles });
  return (
    <div className="stack">
      <div className="actions">
        <RoleForm />
      </div>
      <View query={query}>
        {(roles) => <Table label="Roles" items={roles} idOf={({ role }) => role} columns={ROLES} />}
      </View>
    </div>
  );
}

const ROLES: readonly Column<Role>[] = [
  {
    name: 'Role',
    cell: ({ role, builtIn }) => (
      <>
        <b>{role}</b> {builtIn && <span className="dim">built in</span>}
      </>
    ),
  },
  { name: 'For', isText: true, cell: ({ description }) => <Told text={description} /> },
  { name: 'May', isText: true, cell: ({ scopes }) => scopes.join(', ') },
  {
    name: 'Work',
    cell: (role) =>
      role.builtIn ? (
        '–'
      ) : (
        <span className="actions">
          <RoleForm of={role} />
          <Action
            name={`delete-${role.role}`}
            label="Delete"
            title={`Delete the role ${role.role}`}
            scope="operator:roles"
            typed={{ text: role.role, label: 'Name of the role' }}
            send={() => operator.deleteRole(role.role)}
            done="The role is gone."
          />
        </span>
      ),
  },
];

function RoleForm({ of }: { readonly of?: Role }) {
  return (
    <Action
      name={of === undefined ? 'role' : `role-${of.role}`}
      label={of === undefined ? 'New role' : 'Change'}
      title={of === undefined ? 'New role' : `Change the role ${of.role}`}
      action="Set role"
      scope="operator:roles"
      why="optional"
      version={of?.version == null ? undefined : versionTag(of.version)}
      asks={[
        ...(of === undefined
          ? [{ name: 'role', label: 'Name', hint: 'Small letters, such as night_desk' }]
          : []),
        { name: 'description', label: 'What it is for', initial: of?.description ?? '' },
        {
          name: 'scopes',
          label: 'Scopes, separated by blanks',
          rows: 4,
          initial: of?.scopes.join(' ') ?? '',
          check: check(/^(operator:[a-z:*-]+\s*)+$/, 'Such as operator:customers:read operator:trades'),
        },
      ]}
      send={({ role = '', description = '', scopes = '' }, { reason, ifMatch }) =>
        operator.setRole(
          of?.role ?? role.trim(),
          { description: description.trim(), scopes: scopes.trim().split(/\s+/) as Role['scopes'] },
          { reason, ifMatch },
        )
      }
      done="The role is set."
    />
  );
}

function Clients() {
  const query = useQuery({
    queryKey: ['clients'],
    queryFn: async () => (await operator.listOperatorClients()).clients,
  });
  return (
    <div className="stack">
      <div className="actions">
        <Action
          name="client"
          label="New program"
          action="Create program"
          isFirst
          scope="operator:clients"
          why="optional"
          asks={[{ name: 'name', label: 'Name' }, ROLES_ASKED()]}
          send={({ name = '', roles }, { idempotencyKey, reason }) =>
            operator.createOperatorClient(
              { name: name.trim(), roles: namesOf(roles) as never },
              { idempotencyKey, reason },
            )
          }
          secretOf={secretsOfClient}
          done="The program may sign in. You answer for it."
        />
      </div>
      <View query={query}>
        {(clients) => (
          <Table label="Programs" items={clients} idOf={({ clientId }) => clientId} columns={CLIENTS} />
        )}
      </View>
    </div>
  );
}

const CLIENTS: readonly Column<OperatorClient>[] = [
  {
    name: 'Name',
    isText: true,
    cell: ({ name, clientId }) => (
      <>
        <Told text={name} /> <div className="mono dim">{clientId}</div>
      </>
    ),
  },
  { name: 'May', isText: true, cell: ({ roles, scopes }) => [...roles, ...scopes].join(', ') },
  {
    name: 'Answers for it',
    isText: true,
    cell: ({ responsible }) =>
      responsible === null ? 'Nobody: it approves nothing' : <Told text={responsible.name} />,
  },
  { name: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <At at={lastUsedAt} />) },
  {
    name: 'Status',
    cell: ({ status }) => <Status of={status} mood={status === 'active' ? 'ok' : 'warn'} />,
  },
  { name: 'Work', cell: (client) => <ClientWork of={client} /> },
];

function ClientWork({ of: { clientId, name, status } }: { readonly of: OperatorClient }) {
  return (
    <span className="actions">
      <Action
        name={`rotate-${clientId}`}
        label="Replace secret"
        scope="operator:clients"
        why="optional"
        asks={[OVERLAPS]}
        send={({ overlap }, { idempotencyKey, reason }) =>
          operator.addOperatorClientSecret(
            clientId,
            { othersExpireAt: endOf(overlap) },
            { idempotencyKey, reason },
          )
        }
        secretOf={secretsOfClient}
        done="The new secret works."
      />
      {status === 'active' ? (
        <Action
          name={`suspend-${clientId}`}
          label="Suspend"
          title={`Suspend ${name}`}
          scope="operator:clients"
          send={() => operator.suspendOperatorClient(clientId)}
          done="The program is suspended."
        />
      ) : (
        <Action
          name={`resume-${clientId}`}
          label="Resume"
          title={`Resume ${name}`}
          scope="operator:clients"
          why="optional"
          send={(_, { reason }) => operator.resumeOperatorClient(clientId, { reason })}
          done="The program works again."
        />
      )}
      <Action
        name={`revoke-${clientId}`}
        label="Revoke"
        title={`Revoke ${name}`}
        scope="operator:clients"
        typed={{ text: clientId.slice(-4), label: 'Last four characters of the client id' }}
        send={() => operator.revokeOperatorClient(clientId)}
        done="The program is gone."
      />
    </span>
  );
}
