import type { Approval } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { mayRead } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { jumpTarget } from '../frame/jump.ts';
import { mayGo } from '../frame/places.ts';
import { useSession } from '../frame/session-context.ts';
import { formatAmount } from '../money/amount.ts';
import { Actor } from '../parts/actor.tsx';
import { CustomerName } from '../parts/customer-name.tsx';
import { At, Money, Status, Verbatim, words } from '../parts/text.tsx';
import { type Change, type Compared, changesOf, comparedTo, type Leaf, numberText } from './changes.ts';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;
const AMOUNT = /^-?\d+(?:\.\d+)?$/;
const NAMES_OF_AMOUNTS = /amount|volume|position|trade|total|balance|value$/i;
const NAMES_OF_CODES = new Set(['status', 'type', 'to', 'kind', 'needs', 'reason']);
const CODE = /^[a-z]+(?:_[a-z]+)*$/;

/** What a proposal is about, and what it would change; where that has become something else, beside what was proposed. */
export function Effects({
  of,
  now,
}: {
  readonly of: Approval;
  /** Of an approval that was refused because they are others by now. */
  readonly now?: Approval['effects'] | undefined;
}) {
  const deposit = useDeposit(of.subject);
  const run = useRun(of.subject);
  const effects = now ?? of.effects;
  const currency = deposit?.currency ?? run?.currency ?? currencyOf(of.request);
  return (
    <>
      {deposit !== undefined && (
        <p>
          <Money amount={deposit.amount} currency={deposit.currency} /> from{' '}
          <Verbatim text={deposit.remitterName ?? 'an unknown remitter'} />, value date {deposit.valueDate}
        </p>
      )}
      {run !== undefined && (
        <p>
          <Money amount={run.total} currency={run.currency} /> in{' '}
          {run.paymentCount === 1 ? 'one payment' : `${run.paymentCount} payments`}, value date{' '}
          {run.valueDate}
        </p>
      )}
      {now !== undefined ? (
        <ChangedChanges compared={comparedTo(changesOf(of.effects, currency), changesOf(now, currency))} />
      ) : effects.length === 0 ? (
        <p className="hint">The exact changes are known only once it is done.</p>
      ) : (
        <Changes changes={changesOf(effects, currency)} />
      )}
      {effects.length > 0 && (
        <details>
          <summary>As the API returns it</summary>
          <pre className="as-told">{JSON.stringify(effects, undefined, 2)}</pre>
        </details>
      )}
    </>
  );
}

/** The id of what a proposal is about, with the way to its page. */
export function Subject({ id }: { readonly id: string }) {
  const session = useSession();
  const to = jumpTarget(id);
  if (id.startsWith('cus_')) return <CustomerName id={id} />;
  return to === undefined || !mayGo(session, to) ? (
    <span className="mono dim">{id}</span>
  ) : (
    <a className="mono" href={`/console${to}`}>
      {id}
    </a>
  );
}

function useDeposit(subject: string) {
  const isAllowed = mayRead(useSession(), 'getDeposit');
  const { data } = useQuery({
    queryKey: ['deposit', subject],
    queryFn: () => operator.getDeposit(subject),
    enabled: isAllowed && subject.startsWith('dep_'),
  });
  return data;
}

function useRun(subject: string) {
  const isAllowed = mayRead(useSession(), 'getSettlementRun');
  const { data } = useQuery({
    queryKey: ['run', subject],
    queryFn: () => operator.getSettlementRun(subject),
    enabled: isAllowed && subject.startsWith('run_'),
  });
  return data;
}

function currencyOf(request: unknown): string | undefined {
  const { body } = (request ?? {}) as { readonly body?: { readonly currency?: unknown } };
  return typeof body?.currency === 'string' ? body.currency : undefined;
}

/** Changes in rows: what each is of, and a column for each of its sides. */
function Listed({
  label,
  heads,
  children,
}: {
  readonly label: string;
  readonly heads: readonly string[];
  readonly children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by the keyboard
    <section className="effects" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

function Changes({ changes }: { readonly changes: readonly Change[] }) {
  return (
    <Listed label="What changes" heads={['What', 'Before', 'After']}>
      {changes.map(({ path, name, before, after, currency }) => (
        <tr key={path.join('/')}>
          <td>{path.length === 0 ? 'All of it' : path.join(' › ')}</td>
          <td>
            <Value of={before} name={name} currency={currency} />
          </td>
          <td>
            <b>
              <Value of={after} name={name} currency={currency} />
            </b>
          </td>
        </tr>
      ))}
    </Listed>
  );
}

/** What it would change by now, each beside what was proposed of it. */
function ChangedChanges({ compared }: { readonly compared: readonly Compared[] }) {
  return (
    <Listed label="What would change now" heads={['What', 'Before', 'After', 'As proposed']}>
      {compared.map(({ now, proposed, isSame }) => {
        const path = (now ?? proposed)?.path ?? [];
        return (
          <tr key={path.join('/')}>
            <td>
              {path.length === 0 ? 'All of it' : path.join(' › ')}{' '}
              {!isSame && <Status of="changed" mood="warn" />}
            </td>
            <td>{now === undefined ? <span className="dim">No change</span> : <Side of={now} />}</td>
            <td>
              {now !== undefined && (
                <b>
                  <Side of={now} isAfter />
                </b>
              )}
            </td>
            <td>
              {isSame || proposed === undefined ? (
                <span className="dim">{isSame ? 'The same' : 'No change'}</span>
              ) : (
                <>
                  <Side of={proposed} /> → <Side of={proposed} isAfter />
                </>
              )}
            </td>
          </tr>
        );
      })}
    </Listed>
  );
}

function Side({ of, isAfter = false }: { readonly of: Change; readonly isAfter?: boolean }) {
  return <Value of={isAfter ? of.after : of.before} name={of.name} currency={of.currency} />;
}

interface ValueProps {
  readonly of: Leaf | undefined;
  readonly name: string;
  readonly currency: string | undefined;
}

/** One value: a name for an id, an amount in its currency, a code in words. */
export function Value({ of, name, currency }: ValueProps) {
  if (of === undefined) return '–';
  if (typeof of === 'boolean') return of ? 'Yes' : 'No';
  if (typeof of === 'number') return numberText(of);
  if (of === '(new)') return <span className="dim">created on approval</span>;
  if (/^(per|cli)_/.test(of)) return <Actor id={of} />;
  if (jumpTarget(of) !== undefined) return <Subject id={of} />;
  if (INSTANT.test(of)) return <At at={of} />;
  if (AMOUNT.test(of) && NAMES_OF_AMOUNTS.test(name))
    return currency === undefined ? formatAmount(of) : <Money amount={of} currency={currency} />;
  if (CODE.test(of) && (of.includes('_') || NAMES_OF_CODES.has(name))) return words(of);
  return <Verbatim text={of} />;
}
