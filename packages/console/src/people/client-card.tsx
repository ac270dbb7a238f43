import type { ReactNode } from 'react';
import { CommandAction } from '../parts/command-action.tsx';
import { Fact } from '../parts/facts.tsx';
import { type Secret, shownOnce } from '../parts/secrets.tsx';
import { At, Status, Verbatim } from '../parts/text.tsx';
import type { Client, ClientCommands } from './client-commands.ts';

/** A program that has credentials, of a customer or of the house. */

export function secretsOfClient(answer: object): readonly Secret[] {
  const { clientId, clientSecret } = answer as { clientId?: string; clientSecret?: string };
  return shownOnce(['Client id', clientId], ['Client secret', clientSecret]);
}

interface CardProps {
  readonly of: Client;
  /** Of the path, the program's last. */
  readonly ids: readonly string[];
  readonly commands: ClientCommands;
  /** What is known of it besides. */
  readonly children?: ReactNode;
}

export function ClientCard({ children, ...props }: CardProps) {
  const { of } = props;
  return (
    <section className="card">
      <h2>
        <Verbatim text={of.name} />
      </h2>
      <dl className="facts">
        <Fact name="Status">
          <Status of={of.status} mood={of.status === 'active' ? 'ok' : 'warn'} />
        </Fact>
        <Fact name="Client id">
          <span className="mono">{of.clientId}</span>
        </Fact>
        {children}
        <Fact name="Last used">{of.lastUsedAt === null ? 'Never' : <At at={of.lastUsedAt} />}</Fact>
        <Fact name="Expires">{of.expiresAt === null ? 'Never' : <At at={of.expiresAt} />}</Fact>
        <Secrets of={of} />
        {of.keys.map(({ kid, alg, createdAt }) => (
          <Fact key={kid} name={`Key ${alg}`}>
            <span className="mono">{kid}</span>, set <At at={createdAt} />
          </Fact>
        ))}
        <Fact name="Addresses">{of.ipAllowList.length === 0 ? 'Any' : of.ipAllowList.join(', ')}</Fact>
      </dl>
      <div className="actions">
        <WaysIn {...props} />
        <Ends {...props} />
      </div>
    </section>
  );
}

function Secrets({ of }: Pick<CardProps, 'of'>) {
  return of.secrets.map(({ secretId, createdAt, expiresAt }) => (
    <Fact key={secretId} name="Secret from">
      <At at={createdAt} />
      {expiresAt !== null && (
        <>
          {' '}
          until <At at={expiresAt} />
        </>
      )}
    </Fact>
  ));
}

function WaysIn({ of, ids, commands }: CardProps) {
  const { clientId } = of;
  return (
    <>
      <CommandAction
        name={`rotate-${clientId}`}
        command={commands.replaceSecret}
        {...{ subject: of, ids }}
        isPossible
        secretOf={secretsOfClient}
      />
      <CommandAction
        name={`unsecret-${clientId}`}
        command={commands.revokeSecret}
        {...{ subject: of, ids }}
        isPossible={of.secrets.length > 0}
      />
      <CommandAction
        name={`change-${clientId}`}
        command={commands.change(of)}
        title={`Change ${of.name}`}
        {...{ subject: of, ids }}
        isPossible
      />
      <CommandAction
        name={`addresses-${clientId}`}
        command={commands.setAddresses}
        title={`Addresses of ${of.name}`}
        {...{ subject: of, ids }}
        isPossible
      />
      <CommandAction
        name={`keys-${clientId}`}
        command={commands.setKeys}
        title={`Public keys of ${of.name}`}
        {...{ subject: of, ids }}
        isPossible
      />
      <CommandAction
        name={`no-keys-${clientId}`}
        command={commands.removeKeys}
        title={`Remove the keys of ${of.name}`}
        {...{ subject: of, ids }}
        isPossible={of.keys.length > 0}
      />
    </>
  );
}

function Ends({ of, ids, commands }: CardProps) {
  const { clientId, name, status } = of;
  return (
    <>
      <CommandAction
        name={`suspend-${clientId}`}
        command={commands.suspend}
        title={`Suspend ${name}`}
        {...{ subject: of, ids }}
        isPossible={status === 'active'}
      />
      <CommandAction
        name={`resume-${clientId}`}
        command={commands.resume}
        title={`Resume ${name}`}
        {...{ subject: of, ids }}
        isPossible={status !== 'active'}
      />
      <CommandAction
        name={`tokens-${clientId}`}
        command={commands.revokeTokens}
        title={`Revoke the tokens of ${name}`}
        {...{ subject: of, ids }}
        isPossible
      />
      <CommandAction
        name={`revoke-${clientId}`}
        command={commands.revoke}
        title={`Revoke ${name}`}
        {...{ subject: of, ids }}
        isPossible
        typed={{ text: clientId.slice(-4), label: 'Last four characters of the client id' }}
      />
    </>
  );
}
