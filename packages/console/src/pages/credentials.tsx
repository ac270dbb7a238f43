import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { Action } from '../parts/action.tsx';
import { Fact } from '../parts/facts.tsx';
import { Empty, View } from '../parts/states.tsx';
import { ClientCard, secretsOfClient } from '../people/client-card.tsx';
import { CREDENTIAL_COMMANDS, scopesAsked, scopesOf } from '../people/client-commands.ts';

/** Programs of a customer. A secret is shown when it is made, and never again. */
export function Credentials({ customerId }: { readonly customerId: string }) {
  const query = useQuery({
    queryKey: ['credentials', customerId],
    queryFn: async () => (await operator.listCredentials(customerId)).credentials,
    refetchInterval: 15_000,
  });
  return (
    <div className="stack">
      <div className="actions">
        <Action
          name="credential"
          label="New credential"
          action="Create credential"
          isFirst
          scope="operator:credentials"
          why="customer_client"
          asks={[
            { name: 'name', label: 'Name', hint: 'The program that uses it.' },
            scopesAsked('Everything except creating credentials'),
          ]}
          send={(given, { idempotencyKey, reason }) =>
            operator.createCredential(
              customerId,
              { name: (given.name ?? '').trim(), ...scopesOf(given) },
              { idempotencyKey, reason },
            )
          }
          secretOf={secretsOfClient}
          done="The credential is active."
        />
      </div>
      <View query={query}>
        {(credentials) =>
          credentials.length === 0 ? (
            <Empty title="No credentials yet">
              <p>The customer's program needs one to request prices.</p>
            </Empty>
          ) : (
            <div className="grid">
              {credentials.map((credential) => (
                <ClientCard
                  key={credential.clientId}
                  of={credential}
                  ids={[customerId, credential.clientId]}
                  commands={CREDENTIAL_COMMANDS}
                >
                  <Fact name="Scopes">{credential.scopes.join(', ')}</Fact>
                </ClientCard>
              ))}
            </div>
          )
        }
      </View>
    </div>
  );
}
