import type { ServiceKey } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { Action } from '../parts/action.tsx';
import { CommandAction } from '../parts/command-action.tsx';
import { type Column, Table } from '../parts/listing.tsx';
import { View } from '../parts/states.tsx';
import { At, Status, words } from '../parts/text.tsx';
import { REVOKE_KEY } from './key-command.ts';

/** The keys that the service signs with: each is replaced in time, and revoked when it is in other hands. */
export function Keys() {
  const query = useQuery({
    queryKey: ['keys'],
    queryFn: async () => (await operator.listKeys()).keys,
    refetchInterval: 60_000,
  });
  return (
    <div className="stack">
      <div className="actions">
        <Action
          name="key"
          label="Replace a key"
          scope="operator:keys"
          asks={[
            {
              name: 'purpose',
              label: 'Key for',
              options: [
                ['tokens', 'Tokens'],
                ['evidence', 'Evidence'],
              ],
            },
            { name: 'reason', label: 'Reason', rows: 2 },
          ]}
          send={({ purpose, reason = '' }) =>
            operator.rotateKey(
              { purpose: purpose as 'tokens' | 'evidence', reason: reason.trim() },
              { reason: reason.trim() },
            )
          }
          done="The next key is in use."
        />
      </div>
      <View query={query}>
        {(keys) => <Table label="Keys" items={keys} idOf={({ kid }) => kid} columns={KEYS} />}
      </View>
    </div>
  );
}

const KEYS: readonly Column<ServiceKey>[] = [
  { name: 'For', cell: ({ purpose }) => words(purpose) },
  { name: 'Key', isText: true, cell: ({ kid }) => <span className="mono">{kid}</span> },
  { name: 'Algorithm', cell: ({ algorithm }) => algorithm },
  {
    name: 'State',
    cell: ({ state }) => (
      <Status of={state} mood={state === 'active' ? 'ok' : state === 'revoked' ? 'bad' : 'idle'} />
    ),
  },
  { name: 'Signs since', cell: ({ activatedAt }) => (activatedAt === null ? '–' : <At at={activatedAt} />) },
  { name: 'Replaced at', cell: ({ rotatesAt }) => (rotatesAt === null ? '–' : <At at={rotatesAt} />) },
  {
    name: 'Actions',
    cell: ({ kid, state }) => (
      <CommandAction
        name={`revoke-${kid}`}
        command={REVOKE_KEY}
        subject={undefined}
        ids={[kid]}
        isPossible={state !== 'revoked'}
        title="Revoke the key"
        typed={{ text: kid.slice(-4), label: `Last four characters of ${kid}` }}
      />
    ),
  },
];
