import type { CreatedClientSecret, CredentialScope } from '@firmquote/client';
import type { Credential } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { Action, type Asked } from '../parts/action.tsx';
import { endAfter } from '../parts/end-after.ts';
import { Fact } from '../parts/facts.tsx';
import { type Secret, shownOnce } from '../parts/secrets.tsx';
import { Empty, View } from '../parts/states.tsx';
import { At, Status, Verbatim } from '../parts/text.tsx';

/** For so long both secrets work, so that a program is moved without an outage. */
export const OVERLAPS: Asked = {
  name: 'overlap',
  label: 'Current secrets expire',
  initial: '24',
  isOptional: true,
  options: [
    ['24', 'in a day'],
    ['1', 'in an hour'],
    ['168', 'in a week'],
    ['', 'as already set'],
  ],
};

export function secretsOfClient(answer: object): readonly Secret[] {
  const { clientId, clientSecret } = answer as { clientId?: string; clientSecret?: string };
  return shownOnce(['Client id', clientId], ['Client secret', clientSecret]);
}

/** What is said before tokens of a program are revoked. */
export const TOKENS_END = (
  <p>
    All tokens issued so far stop working within seconds. The program gets new ones with its secret: if
    somebody else may have that, replace it first.
  </p>
);

const SCOPES: readonly (readonly [value: string, text: string])[] = [
  ['', 'Everything except creating credentials'],
  ['quotes:read quotes:write trades:execute transactions:read', 'Quotes and trades'],
  ['quotes:read transactions:read', 'Read only'],
];

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
            { name: 'scopes', label: 'Access', options: SCOPES, isOptional: true },
          ]}
          send={({ name = '', scopes = '' }, { idempotencyKey, reason }) =>
            operator.createCredential(
              customerId,
              {
                name: name.trim(),
                ...(scopes === '' ? {} : { scopes: scopes.split(' ') as readonly CredentialScope[] }),
              },
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
                <CredentialCard key={credential.clientId} of={credential} customerId={customerId} />
              ))}
            </div>
          )
        }
      </View>
    </div>
  );
}

interface CredentialProps {
  readonly of: Credential;
  readonly customerId: string;
}

function CredentialCard({ of, customerId }: CredentialProps) {
  return (
    <section className="card">
      <h2>
        <Verbatim text={of.name} />
      </h2>
      <CredentialFacts of={of} />
      <CredentialActions of={of} customerId={customerId} />
    </section>
  );
}

function CredentialFacts({ of }: { readonly of: Credential }) {
  return (
    <dl className="facts">
      <Fact name="Status">
        <Status of={of.status} mood={of.status === 'active' ? 'ok' : 'warn'} />
      </Fact>
      <Fact name="Client id">
        <span className="mono">{of.clientId}</span>
      </Fact>
      <Fact name="Scopes">{of.scopes.join(', ')}</Fact>
      <Fact name="Last used">{of.lastUsedAt === null ? 'Never' : <At at={of.lastUsedAt} />}</Fact>
      <Fact name="Expires">{of.expiresAt === null ? 'Never' : <At at={of.expiresAt} />}</Fact>
      {of.secrets.map(({ secretId, createdAt, expiresAt }) => (
        <Fact key={secretId} name="Secret from">
          <At at={createdAt} />
          {expiresAt !== null && (
            <>
              {' '}
              until <At at={expiresAt} />
            </>
          )}
        </Fact>
      ))}
      <Fact name="Addresses">{of.ipAllowList.length === 0 ? 'Any' : of.ipAllowList.join(', ')}</Fact>
    </dl>
  );
}

function CredentialActions({ of, customerId }: CredentialProps) {
  const { clientId, status } = of;
  return (
    <div className="actions">
      <Action
        name={`rotate-${clientId}`}
        label="Replace secret"
        scope="operator:credentials"
        why="customer_client"
        asks={[OVERLAPS]}
        send={({ overlap }, { idempotencyKey, begunAt, reason }) =>
          operator.addCredentialSecret(
            customerId,
            clientId,
            { othersExpireAt: endAfter(overlap, begunAt) },
            { idempotencyKey, reason },
          )
        }
        secretOf={(answer) => [['Client secret', (answer as CreatedClientSecret).clientSecret]]}
        done="The new secret is active."
      />
      <Action
        isOver={status !== 'active'}
        name={`suspend-${clientId}`}
        label="Suspend"
        title="Suspend the credential"
        scope="operator:credentials"
        send={() => operator.suspendCredential(customerId, clientId)}
        done="The credential is suspended."
      >
        <p>Its tokens stop working. You can resume it later.</p>
      </Action>
      <Action
        isOver={status === 'active'}
        name={`resume-${clientId}`}
        label="Resume"
        title="Resume the credential"
        scope="operator:credentials"
        why="customer_client"
        send={(_, { reason }) => operator.resumeCredential(customerId, clientId, { reason })}
        done="The credential is active again."
      />
      <RevokeTokens of={of} customerId={customerId} />
      <Action
        name={`revoke-${clientId}`}
        label="Revoke"
        title="Revoke the credential"
        scope="operator:credentials"
        typed={{ text: clientId.slice(-4), label: 'Last four characters of the client id' }}
        send={() => operator.revokeCredential(customerId, clientId)}
        done="The credential is revoked."
      >
        <p>Its secrets and tokens stop working for good. The program needs a new credential.</p>
      </Action>
    </div>
  );
}

function RevokeTokens({ of: { clientId }, customerId }: CredentialProps) {
  return (
    <Action
      name={`tokens-${clientId}`}
      label="Revoke tokens"
      title="Revoke the tokens of the credential"
      scope="operator:credentials"
      send={() => operator.revokeCredentialTokens(customerId, clientId)}
      done="Its tokens are revoked."
    >
      {TOKENS_END}
    </Action>
  );
}
