import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Search } from '../router.tsx';
import { say } from './aloud.tsx';
import { useHeldInPlace, useWindow, type WirePage } from './list-window.ts';
import { Empty, Refreshed, stateOf } from './states.tsx';
import type { WrittenForm } from './written-forms.ts';

export interface Column<T> {
  readonly name: string;
  readonly isNumber?: boolean;
  readonly isText?: boolean;
  readonly cell: (item: T) => ReactNode;
}

/** What the address says, and how to say something else. */
export function useFilters() {
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const router = useRouter();
  const say = (changes: Search, replace: boolean) =>
    void navigate({
      to: '.',
      search: ((before: Search) => ({ ...before, ...changes })) as never,
      replace,
    });
  return {
    search,
    /** With what was set a moment ago, and is not drawn yet: what is sent goes by it. */
    newest: () => router.latestLocation.search as Search,
    set: (changes: Search) => say(changes, true),
    /** As a step of its own, from which "back" leads to what was there before. */
    go: (changes: Search) => say(changes, false),
  };
}

interface ListingProps<T> {
  /** Names of the filters; they are in the address. */
  readonly filters: readonly string[];
  readonly name: string;
  /** Of whom the list is, where there is one for each. */
  readonly about?: string;
  readonly read: (query: Record<string, string>, cursor: string | undefined) => PromiseLike<WirePage<T>>;
  readonly columns: readonly Column<T>[];
  readonly idOf: (item: T) => string;
  readonly empty: ReactNode;
  /** How often it is read again. */
  readonly everyMs?: number;
}

/** A list of the service in the order in which it gives it: as many rows as a page holds well, of a list that may be long. */
export function Listing<T>({
  filters,
  name,
  about,
  read,
  columns,
  idOf,
  empty,
  everyMs = 15_000,
}: ListingProps<T>) {
  const { search } = useFilters();
  const given = filters.flatMap((filter) => {
    const value = search[filter];
    return value === undefined ? [] : [[filter, value] as const];
  });
  const { place, look, ask } = useHeldInPlace(JSON.stringify([name, about, given]));
  const rows = useWindow({
    key: [name, about, given],
    read: (cursor) => read(Object.fromEntries(given), cursor),
    everyMs,
    onRead: look,
  });
  useRowsAloud(JSON.stringify(given), rows.items && rangeText(rows.before, rows.items.length, rows.hasMore));
  const state = stateOf(rows.query);
  if (rows.items === undefined || state !== undefined) return state;
  const { items, before } = rows;
  if (items.length === 0 && !rows.hasMore && before === 0)
    return given.length === 0 ? empty : <NothingFits filters={filters} given={given} />;
  return (
    <div className="listing" ref={place}>
      <Refreshed query={rows.query} isQuiet={rows.isMoving} />
      {before > 0 && (
        <div className="more">
          <MoveButton name="Show earlier" isMoving={rows.isMoving} onMove={ask(rows.showEarlier)} />
          <MoveButton name="Back to the first" isMoving={rows.isMoving} onMove={ask(rows.toFirst)} />
        </div>
      )}
      <Table
        columns={columns}
        items={items}
        idOf={idOf}
        label={name}
        before={before}
        all={rows.hasMore ? undefined : before + items.length}
      />
      <div className="more">
        {rows.hasMore && <MoveButton name="Show more" isMoving={rows.isMoving} onMove={ask(rows.showMore)} />}
        <span className="hint" role="status">
          {rangeText(before, items.length, rows.hasMore)}
        </span>
      </div>
    </div>
  );
}

function NothingFits({
  filters,
  given,
}: {
  readonly filters: readonly string[];
  readonly given: readonly (readonly [filter: string, value: string])[];
}) {
  const { set } = useFilters();
  return (
    <Empty title="Nothing fits these filters">
      <p>{given.map(([filter, value]) => `${filter} is ${value}`).join(', ')}.</p>
      <button
        type="button"
        className="button"
        onClick={() => set(Object.fromEntries(filters.map((filter) => [filter, undefined])))}
      >
        Clear filters
      </button>
    </Empty>
  );
}

/** It keeps the focus while rows are read: who goes on by the keyboard presses it again. */
function MoveButton({
  name,
  isMoving,
  onMove,
}: {
  readonly name: string;
  readonly isMoving: boolean;
  readonly onMove: () => void;
}) {
  return (
    <button type="button" className="button" aria-disabled={isMoving} onClick={() => !isMoving && onMove()}>
      {name}
    </button>
  );
}

function rangeText(before: number, count: number, hasMore: boolean): string {
  const figure = (value: number) => value.toLocaleString('en');
  if (before > 0 || hasMore)
    return `Rows ${figure(before + 1)} to ${figure(before + count)}${hasMore ? '' : ', that is all'}`;
  return `${figure(count)} ${count === 1 ? 'row' : 'rows'}, that is all`;
}

/** What is found by other filters is said; what is read again by itself is not. */
function useRowsAloud(filters: string, range: string | undefined): void {
  const said = useRef(filters);
  useEffect(() => {
    if (range === undefined || said.current === filters) return;
    said.current = filters;
    say(`Found: ${range}.`);
  }, [filters, range]);
}

export function Table<T>({
  columns,
  items,
  idOf,
  label,
  before,
  all,
}: Pick<ListingProps<T>, 'columns' | 'idOf'> & {
  readonly items: readonly T[];
  readonly label: string;
  /** Of a part of a list: how many rows come before it, and how many there are, where that is known. */
  readonly before?: number;
  readonly all?: number | undefined;
}) {
  const isPart = before !== undefined;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by the keyboard
    <section className="table-box" aria-label={label} tabIndex={0}>
      <table className="cards" aria-rowcount={isPart ? (all === undefined ? -1 : all + 1) : undefined}>
        <thead>
          <tr aria-rowindex={isPart ? 1 : undefined}>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" className={isNumber === true ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item, index) => (
            <tr key={idOf(item)} aria-rowindex={isPart ? before + index + 2 : undefined}>
              {columns.map(({ name, isNumber, isText, cell }) => (
                <td
                  key={name}
                  data-label={name}
                  className={isNumber === true ? 'number' : isText === true ? 'wrap' : undefined}
                >
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A choice that is kept in the address. */
export function Choice({
  name,
  label,
  options,
  all = 'All',
}: {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  /** What is shown where nothing is chosen. */
  readonly all?: string;
}) {
  const { search, set } = useFilters();
  return (
    <div className="field">
      <label htmlFor={`filter-${name}`}>{label}</label>
      <select
        id={`filter-${name}`}
        value={search[name] ?? ''}
        onChange={(event) => set({ [name]: event.target.value === '' ? undefined : event.target.value })}
      >
        <option value="">{all}</option>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** A field shows what the address says, whoever has changed it, and stays the same field: whoever writes in it goes on there. */
export function useTextOf(given: string) {
  const place = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (place.current !== null) place.current.value = given;
  }, [given]);
  return place;
}

/** A text that is kept in the address once it is entered. */
export function Entry({
  name,
  label,
  form,
  read = (text) => text.trim(),
}: {
  readonly name: string;
  readonly label: string;
  readonly form?: WrittenForm;
  /** What somebody means by what they wrote. */
  readonly read?: (text: string) => string;
}) {
  const { search, set } = useFilters();
  const given = search[name] ?? '';
  const place = useTextOf(given);
  // What the address said when something else was written that cannot be meant: once it says something new, that stands there.
  const [refusedAt, refuse] = useState<string>();
  const isWrong = refusedAt === given;
  const take = (text: string) => {
    const value = read(text);
    const fits = value === '' || form === undefined || form.pattern.test(value);
    refuse(fits ? undefined : given);
    if (fits && value !== given) set({ [name]: value === '' ? undefined : value });
  };
  return (
    <div className="field">
      <label htmlFor={`filter-${name}`}>{label}</label>
      <input
        id={`filter-${name}`}
        ref={place}
        defaultValue={given}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? `filter-${name}-wrong` : undefined}
        onBlur={(event) => take(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && take(event.currentTarget.value)}
      />
      {isWrong && (
        <span id={`filter-${name}-wrong`} className="wrong" role="alert">
          {form?.wants}
        </span>
      )}
    </div>
  );
}
