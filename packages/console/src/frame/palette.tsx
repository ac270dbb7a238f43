import type { Customer } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ENOUGH, may, mayRead } from '../api/rights.ts';
import { operator, type Session } from '../api/session.ts';
import { pairText } from '../money/amount.ts';
import { useCustomerChoice } from '../parts/customers.ts';
import { Dialog } from '../parts/dialog.tsx';
import { usePairs } from '../prices/pairs.ts';
import { prices } from '../prices/store.ts';
import { jumpTarget } from './jump.ts';
import { areSingleKeysOn, switchSingleKeys } from './keys.ts';
import { mayGo, placesOf } from './places.ts';
import { useSession } from './session-context.ts';
import { currentTheme, setTheme, THEMES } from './theme.ts';

interface Entry {
  readonly name: string;
  readonly hint: string;
  /** A page of the console, or what is done. */
  readonly does: string | (() => void);
}
const ENTRIES_MAX = 12;
const ASKED = 'Page, command, pair, customer, reference or id';
/** A transaction's own reference (ISO 11649), as far as it takes to be one. */
const REFERENCE = /^RF\d{2}[0-9A-Z]{4,21}$/i;
/** What may be a customer's own reference: names of pages and pairs have no digit. */
const OF_CUSTOMER = /^(?=.*\d).{4,64}$/;

interface Commands {
  readonly open: (layer: 'keys' | 'sandbox') => void;
  readonly pause: () => void;
}

/** Everything that can be gone to or done, by a few letters, a reference or an id. */
export function Palette({ onClose, ...commands }: Commands & { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [wanted, choose] = useState(0);
  const router = useRouter();
  const entries = useEntries(text, commands);
  // What is found comes later, and may be less than there was.
  const chosen = Math.max(0, Math.min(wanted, entries.length - 1));
  // By the keys what is chosen may be out of sight.
  useEffect(() => {
    document.getElementById(`palette-${chosen}`)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const go = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    if (typeof entry.does === 'function') entry.does();
    else router.history.push(`/console${entry.does}`);
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
          aria-label={ASKED}
          placeholder={ASKED}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            choose(0);
          }}
          onKeyDown={(event) => {
            const { key } = event;
            // The caret stays where it is.
            if (key.startsWith('Arrow') && key !== 'ArrowLeft' && key !== 'ArrowRight')
              event.preventDefault();
            if (key === 'ArrowDown') choose(Math.min(entries.length - 1, chosen + 1));
            if (key === 'ArrowUp') choose(Math.max(0, chosen - 1));
            if (key !== 'Enter') return;
            // What has the focus back is not pressed by the same key.
            event.preventDefault();
            go(entries[chosen]);
          }}
        />
        <Results entries={entries} chosen={chosen} onGo={go} />
        {entries.length === 0 && <p className="more hint">Nothing has this name, and no page has this id.</p>}
      </div>
    </Dialog>
  );
}

function Results({
  entries,
  chosen,
  onGo,
}: {
  readonly entries: readonly Entry[];
  readonly chosen: number;
  readonly onGo: (entry: Entry) => void;
}) {
  return (
    <div id="palette-list" role="listbox" aria-label="Results">
      {entries.map((entry, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field above
        <div
          key={entry.name + entry.hint}
          id={`palette-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          onClick={() => onGo(entry)}
        >
          <span>{entry.name}</span>
          <span className="hint">{entry.hint}</span>
        </div>
      ))}
    </div>
  );
}

/** `Bäcker` is found by `backer` too, `EUR/USD` by `eurusd`. */
function folded(text: string): string {
  return text.trim().toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '').replaceAll('/', '');
}

function useEntries(text: string, commands: Commands): readonly Entry[] {
  const session = useSession();
  const pairs = usePairs(mayGo(session, '/markets')) ?? [];
  const { customers, search } = useCustomerChoice(undefined, mayRead(session, 'listCustomers'));
  // Of more than a list holds the service finds the others.
  useEffect(() => search?.look(text), [search?.look, text]);
  const found = useReferenced(text.trim());
  const jump = jumpTarget(text);
  if (jump !== undefined) return [{ name: text.trim(), hint: 'Go to', does: jump }];
  if (found.length > 0) return found;
  const word = folded(text);
  const all: readonly Entry[] = [
    ...placesOf(session).map(({ name, to, key }) => ({ name, hint: `g ${key}`, does: to })),
    ...commandsOf(session, commands),
    ...pairs.map((pair) => ({ name: pairText(pair), hint: 'Market', does: `/markets?pair=${pair}` })),
  ];
  const fits = ({ name }: { readonly name: string }) => folded(name).includes(word);
  const entryOf = ({ name, customerId }: Customer) => ({
    ...{ name, hint: 'Customer' },
    does: `/customers/${customerId}`,
  });
  // What the service found has it in its reference, where not in its name.
  const people = search?.found === undefined ? customers.filter(fits) : customers;
  return [...all.filter(fits), ...people.map(entryOf)].slice(0, ENTRIES_MAX);
}

function commandsOf(session: Session, { open, pause }: Commands): readonly Entry[] {
  const ofTicket = mayGo(session, '/markets') ? '/markets' : '/overview';
  const theme = currentTheme();
  return [
    ...(may(session, 'operator:trades')
      ? [{ name: 'New ticket', hint: 'n', does: `${ofTicket}?ticket=new` }]
      : []),
    ...(mayRead(session, 'streamMarketPrices')
      ? [{ name: prices.link.isPaused ? 'Resume prices' : 'Pause prices', hint: 'P', does: pause }]
      : []),
    ...(session.isSandbox
      ? [{ name: 'Sandbox: clock, market and bank', hint: 'Open', does: () => open('sandbox') }]
      : []),
    { name: 'List of keys', hint: '?', does: () => open('keys') },
    ...THEMES.filter((each) => each !== theme).map((each) => ({
      ...{ name: `Theme: ${each}`, hint: 'Change' },
      does: () => setTheme(each),
    })),
  ];
}

/** The transactions that have this reference, or that the customer calls so. */
function useReferenced(text: string): readonly Entry[] {
  const isOwn = REFERENCE.test(text);
  const isAllowed = mayRead(useSession(), 'listAllTransactions');
  const isOne = isAllowed && (isOwn || OF_CUSTOMER.test(text));
  const { data } = useQuery({
    queryKey: ['referenced', text],
    queryFn: async () => {
      const { items } = await operator.listAllTransactions(
        isOwn ? { reference: text.toUpperCase(), limit: 5 } : { clientReference: text, limit: 5 },
      );
      return items;
    },
    enabled: isOne,
    staleTime: 60_000,
  });
  if (!isOne) return [];
  return (data ?? []).map(({ reference, transactionId }) => ({
    name: isOwn ? reference : `${reference}, ${text}`,
    hint: 'Transaction',
    does: `/transactions/${transactionId}`,
  }));
}

const KEYS: readonly (readonly [key: string, does: string, enough?: readonly string[]])[] = [
  ['Ctrl K', 'Search, jump to an id or run a command'],
  ['?', 'This list'],
  ['n', 'New ticket', ['operator:trades']],
  ['P', 'Pause or resume prices', ENOUGH.streamMarketPrices],
  ['/', 'Go to the filters'],
  ['Ctrl Enter', 'Request the quote in the ticket', ['operator:trades']],
  ['R', 'Request the quote again once it has ended', ['operator:trades']],
  [
    'm s p i a n u',
    'On a deposit: match, next candidate, amounts, set aside, assign, note, undo',
    ['operator:deposits'],
  ],
  ['Esc', 'Close the topmost window'],
];

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const [isOn, turn] = useState(areSingleKeysOn());
  const session = useSession();
  const keys = KEYS.filter(([, , enough]) => enough === undefined || may(session, ...enough));
  const pages = placesOf(session).map(({ key, name }) => [`g ${key}`, name] as const);
  return (
    <Dialog label="Keys" onClose={onClose}>
      <div>
        <h2>Keys</h2>
        <dl className="facts">
          {[...keys, ...pages].map(([key, does]) => (
            <div key={key}>
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
          Single-character keys
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
