import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { may, operator } from '../api/session.ts';
import { pairText } from '../money/amount.ts';
import { Dialog } from '../parts/dialog.tsx';
import { usePairs } from '../prices/pairs.ts';
import { jumpTarget } from './jump.ts';
import { areSingleKeysOn, switchSingleKeys } from './keys.ts';
import { placesOf } from './navigation.tsx';
import { useSession } from './session-context.ts';

interface Entry {
  readonly name: string;
  readonly hint: string;
  readonly to: string;
}
const ENTRIES_MAX = 12;

/** Everything that can be gone to, by a few letters or by an id. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosen, choose] = useState(0);
  const router = useRouter();
  const entries = useEntries(text);
  const go = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    router.history.push(`/console${entry.to}`);
  };
  return (
    <Dialog label="Search or jump" className="palette" onClose={onClose}>
      <div>
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={entries.length > 0 ? `palette-${chosen}` : undefined}
          aria-label="Page, pair, customer or id"
          placeholder="Page, pair, customer or id"
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            choose(0);
          }}
          onKeyDown={({ key }) => {
            if (key === 'ArrowDown') choose(Math.min(entries.length - 1, chosen + 1));
            if (key === 'ArrowUp') choose(Math.max(0, chosen - 1));
            if (key === 'Enter') go(entries[chosen]);
          }}
        />
        <div id="palette-list" role="listbox" aria-label="Where to">
          {entries.map((entry, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field above
            <div
              key={entry.to}
              id={`palette-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onClick={() => go(entry)}
            >
              <span>{entry.name}</span>
              <span className="hint">{entry.hint}</span>
            </div>
          ))}
        </div>
        {entries.length === 0 && (
          <p className="more hint">Nothing is called so, and it is no id that has a page.</p>
        )}
      </div>
    </Dialog>
  );
}

function useEntries(text: string): readonly Entry[] {
  const session = useSession();
  const pairs = usePairs() ?? [];
  const customers = useQuery({
    queryKey: ['customers'],
    queryFn: async () => (await operator.listCustomers({ limit: 100 })).items,
    enabled: may(session, 'operator:customers:read', 'operator:customers'),
    staleTime: 60_000,
  });
  const jump = jumpTarget(text);
  if (jump !== undefined) return [{ name: text.trim(), hint: 'Go to', to: jump }];
  const word = text.trim().toLowerCase();
  const all: readonly Entry[] = [
    ...placesOf(session).map(({ name, to, key }) => ({ name, hint: `g ${key}`, to })),
    ...(may(session, 'operator:trades')
      ? [{ name: 'New ticket', hint: 'n', to: '/markets?ticket=new' }]
      : []),
    ...pairs.map((pair) => ({ name: pairText(pair), hint: 'Market', to: `/markets?pair=${pair}` })),
    ...(customers.data ?? []).map(({ name, customerId }) => ({
      name,
      hint: 'Transactions of the customer',
      to: `/transactions?customerId=${customerId}`,
    })),
  ];
  const fits = ({ name }: Entry) => name.toLowerCase().replace('/', '').includes(word.replace('/', ''));
  return all.filter(fits).slice(0, ENTRIES_MAX);
}

const KEYS: readonly (readonly [key: string, does: string])[] = [
  ['Ctrl K', 'Search or jump to an id'],
  ['?', 'This list'],
  ['n', 'New ticket'],
  ['P', 'Pause prices, and go on'],
  ['/', 'To the filters'],
  ['Ctrl Enter', 'Ask for the quote of the ticket'],
  ['R', 'Request the quote again, once it is over'],
  ['m s p i a n u', 'On a deposit: match, next candidate, amounts, set aside, assign, note, undo'],
  ['Esc', 'Close what lies on top'],
];

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const [isOn, turn] = useState(areSingleKeysOn());
  const pages = placesOf(useSession()).map(({ key, name }) => [`g ${key}`, name] as const);
  return (
    <Dialog label="Keys" onClose={onClose}>
      <div>
        <h2>Keys</h2>
        <dl className="facts">
          {[...KEYS, ...pages].map(([key, does]) => (
            <div
              key={key}
              className="actions"
              style={{ gridColumn: '1 / -1', justifyContent: 'space-between' }}
            >
              <dt>{does}</dt>
              <dd>
                <kbd>{key}</kbd>
              </dd>
            </div>
          ))}
        </dl>
        <label className="check">
          <input
            type="checkbox"
            checked={isOn}
            onChange={({ target }) => {
              switchSingleKeys(target.checked);
              turn(target.checked);
            }}
          />{' '}
          Keys of a single character
        </label>
        <div className="actions">
          <button type="button" className="button first" onClick={onClose}>
            Close
          </button>
        </div>
      </div>
    </Dialog>
  );
}
