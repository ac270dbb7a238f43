import { PermissionError } from '@firmquote/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Search } from '../router.tsx';
import { Empty, Failure, Loading } from './states.tsx';

interface WirePage<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
}

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
  const set = (changes: Search) =>
    void navigate({
      to: '.',
      search: ((before: Search) => ({ ...before, ...changes })) as never,
      replace: true,
    });
  return { search, set };
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

/** A list of the service, page after page, in the order in which it gives it. */
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
  const { search, set } = useFilters();
  const given = filters.flatMap((filter) => {
    const value = search[filter];
    return value === undefined ? [] : [[filter, value] as const];
  });
  const query = useInfiniteQuery({
    queryKey: [name, about, given],
    queryFn: ({ pageParam }) => read(Object.fromEntries(given), pageParam) as Promise<WirePage<T>>,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    refetchInterval: everyMs,
  });
  const { data, error, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = query;
  if (data === undefined || error instanceof PermissionError)
    return error === null ? <Loading /> : <Failure error={error} again={() => void refetch()} />;
  const items = data.pages.flatMap((page) => page.items);
  if (items.length === 0 && !hasNextPage) {
    if (given.length === 0) return empty;
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
  return (
    <>
      {isFetching && !isFetchingNextPage && <div className="bar" aria-hidden="true" />}
      {error !== null && (
        <p className="wrong" role="status">
          This could not be read again; it is as it was before.
        </p>
      )}
      <Table columns={columns} items={items} idOf={idOf} label={name} />
      <div className="more">
        {hasNextPage ? (
          <button
            type="button"
            className="button"
            disabled={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {isFetchingNextPage ? 'Reading …' : 'Show more'}
          </button>
        ) : (
          <span className="hint">
            {items.length} {items.length === 1 ? 'row' : 'rows'}, that is all
          </span>
        )}
      </div>
    </>
  );
}

export function Table<T>({
  columns,
  items,
  idOf,
  label,
}: Pick<ListingProps<T>, 'columns' | 'idOf'> & { readonly items: readonly T[]; readonly label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by the keyboard
    <section className="table-box" aria-label={label} tabIndex={0}>
      <table className="cards">
        <thead>
          <tr>
            {columns.map(({ name, isNumber }) => (
              <th key={name} scope="col" className={isNumber === true ? 'number' : undefined}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={idOf(item)}>
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

/** A text that is kept in the address once it is entered. */
export function Entry({
  name,
  label,
  form,
}: {
  readonly name: string;
  readonly label: string;
  readonly form?: RegExp;
}) {
  const { search, set } = useFilters();
  const given = search[name] ?? '';
  const take = (text: string) => {
    const value = text.trim();
    if (value !== given && (value === '' || form === undefined || form.test(value)))
      set({ [name]: value === '' ? undefined : value });
  };
  return (
    <div className="field">
      <label htmlFor={`filter-${name}`}>{label}</label>
      <input
        id={`filter-${name}`}
        key={given}
        defaultValue={given}
        autoComplete="off"
        spellCheck={false}
        onBlur={(event) => take(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && take(event.currentTarget.value)}
      />
    </div>
  );
}
