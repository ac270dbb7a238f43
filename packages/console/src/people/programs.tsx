import type { OperatorClient } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { OVERLAPS, secretsOfClient, TOKENS_END } from '../pages/credentials.tsx';
import { Action } from '../parts/action.tsx';
import { endAfter } from '../parts/end-after.ts';
import { type Column, Table } from '../parts/listing.tsx';
import { View } from '../parts/states.tsx';
import { At, Status, Verbatim } from '../parts/text.tsx';
import { namesOf, ROLES_ASKED } from './roles-asked.ts';

/** Programs that act for the house. */

export function Clients() {
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
          why="operator_client"
          asks={[{ name: 'name', label: 'Name' }, ROLES_ASKED()]}
          send={({ name = '', roles }, { idempotencyKey, reason }) =>
            operator.createOperatorClient(
              { name: name.trim(), roles: namesOf(roles) as never },
              { idempotencyKey, reason },
            )
          }
          secretOf={secretsOfClient}
          done="The program can sign in. You answer for it."
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
        <Verbatim text={name} /> <div className="mono dim">{clientId}</div>
      </>
    ),
  },
  { name: 'Roles and scopes', isText: true, cell: ({ roles, scopes }) => [...roles, ...scopes].join(', ') },
  {
    name: 'Responsible',
    isText: true,
    cell: ({ responsible }) =>
      responsible === null ? 'Nobody: it approves nothing' : <Verbatim text={responsible.name} />,
  },
  { name: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'Never' : <At at={lastUsedAt} />) },
  {
    name: 'Status',
    cell: ({ status }) => <Status of={status} mood={status === 'active' ? 'ok' : 'warn'} />,
  },
  { name: 'Actions', cell: (client) => <ClientWork of={client} /> },
];

function ClientWork({ of: { clientId, name, status } }: { readonly of: OperatorClient }) {
  return (
    <span className="actions">
      <Action
        name={`rotate-${clientId}`}
        label="Replace secret"
        scope="operator:clients"
        why="operator_client"
        asks={[OVERLAPS]}
        send={({ overlap }, { idempotencyKey, begunAt, reason }) =>
          operator.addOperatorClientSecret(
            clientId,
            { othersExpireAt: endAfter(overlap, begunAt) },
            { idempotencyKey, reason },
          )
        }
        secretOf={secretsOfClient}
        done="The new secret is active."
      />
      <Action
        isOver={status !== 'active'}
        name={`suspend-${clientId}`}
        label="Suspend"
        title={`Suspend ${name}`}
        scope="operator:clients"
        send={() => operator.suspendOperatorClient(clientId)}
        done="The program is suspended."
      />
      <Action
        isOver={status === 'active'}
        name={`resume-${clientId}`}
        label="Resume"
        title={`Resume ${name}`}
        scope="operator:clients"
        why="operator_client"
        send={(_, { reason }) => operator.resumeOperatorClient(clientId, { reason })}
        done="The program is active again."
      />
      <Action
        name={`tokens-${clientId}`}
        label="Revoke tokens"
        title={`Revoke the tokens of ${name}`}
        scope="operator:clients"
        send={() => operator.revokeOperatorClientTokens(clientId)}
        done="Its tokens are revoked."
      >
        {TOKENS_END}
      </Action>
      <Action
        name={`revoke-${clientId}`}
        label="Revoke"
        title={`Revoke ${name}`}
        scope="operator:clients"
        typed={{ text: clientId.slice(-4), label: 'Last four characters of the client id' }}
        send={() => operator.revokeOperatorClient(clientId)}
        done="The program is revoked."
      />
    </span>
  );
}
