import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { Action } from '../parts/action.tsx';
import { Fact } from '../parts/facts.tsx';
import { Empty, View } from '../parts/states.tsx';
import { Verbatim } from '../parts/text.tsx';
import { ClientCard, secretsOfClient } from './client-card.tsx';
import { PROGRAM_COMMANDS } from './client-commands.ts';
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
        {(clients) =>
          clients.length === 0 ? (
            <Empty title="No programs yet" />
          ) : (
            <div className="grid">
              {clients.map((client) => (
                <ClientCard
                  key={client.clientId}
                  of={client}
                  ids={[client.clientId]}
                  commands={PROGRAM_COMMANDS}
                >
                  <Fact name="Roles and scopes">{[...client.roles, ...client.scopes].join(', ')}</Fact>
                  <Fact name="Responsible">
                    {client.responsible === null ? (
                      'Nobody: it approves nothing'
                    ) : (
                      <Verbatim text={client.responsible.name} />
                    )}
                  </Fact>
                </ClientCard>
              ))}
            </div>
          )
        }
      </View>
    </div>
  );
}
