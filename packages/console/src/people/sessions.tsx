import type { Passkey, Session as Signed } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { Action } from '../parts/action.tsx';
import { type Column, Listing, Table } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { At, Verbatim } from '../parts/text.tsx';

/** Where somebody is signed in, and what one signs in with. */

export function Me() {
  const session = useSession();
  const sessions = useQuery({
    queryKey: ['own-sessions'],
    queryFn: async () => (await operator.listOwnSessions()).sessions,
  });
  const passkeys = useQuery({ queryKey: ['passkeys'], queryFn: () => operator.listPasskeys() });
  return (
    <div className="stack">
      <p>
        <Verbatim text={session.name} />, {session.email}: {session.roles.join(', ')}
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
              <p>You sign in another way. Where passkeys are used, you create them at the sign-in.</p>
            </Empty>
          ) : (
            <Table
              label="My passkeys"
              items={items}
              idOf={({ passkeyId }) => passkeyId}
              columns={PASSKEY_COLUMNS}
            />
          )
        }
      </View>
      <p>
        <a href="/login?fresh=true">Create passkeys and recovery codes at the sign-in</a>
      </p>
    </div>
  );
}

const PASSKEY_COLUMNS: readonly Column<Passkey>[] = [
  { name: 'Name', isText: true, cell: ({ name }) => <Verbatim text={name} /> },
  { name: 'Since', cell: ({ createdAt }) => <At at={createdAt} /> },
  {
    name: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <At at={lastUsedAt} />),
  },
  {
    name: 'Actions',
    cell: ({ passkeyId, name }) => (
      <Action
        name={`passkey-${passkeyId}`}
        label="Remove"
        title={`Remove the passkey ${name}`}
        scope="operator:self"
        send={() => operator.removePasskey(passkeyId)}
        done="The passkey is removed."
      >
        <p>Your other sessions end too.</p>
      </Action>
    ),
  },
];

function sessionColumns(
  end: (sessionId: string) => PromiseLike<void>,
  scope: string,
): readonly Column<Signed>[] {
  return [
    { name: 'Since', cell: ({ startedAt }) => <At at={startedAt} /> },
    { name: 'Last used', cell: ({ lastUsedAt }) => <At at={lastUsedAt} /> },
    { name: 'From', isText: true, cell: ({ address }) => <span className="mono">{address}</span> },
    { name: 'Browser', isText: true, cell: ({ userAgent }) => <Verbatim text={userAgent ?? '–'} /> },
    ...(scope === 'operator:self'
      ? []
      : [{ name: 'Person', cell: ({ personId }: Signed) => <span className="mono">{personId}</span> }]),
    {
      name: 'Actions',
      cell: ({ sessionId, isThisOne }) =>
        isThisOne === true ? (
          'This session'
        ) : (
          <Action
            name={`end-${sessionId}`}
            label="End"
            title="End the session"
            scope={scope}
            send={() => end(sessionId)}
            done="The session has ended."
          />
        ),
    },
  ];
}

export function Sessions() {
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
