import { Link } from '@tanstack/react-router';
import { Actor } from './actor.tsx';
import { type ChangeLine, Lines } from './change.tsx';
import type { WirePage } from './list-window.ts';
import { type Column, Listing, useFilters } from './listing.tsx';
import { Empty } from './states.tsx';
import { At } from './text.tsx';

interface Kept {
  readonly version: number;
  readonly changedAt: string | null;
  readonly changedBy: string | null;
}

interface VersionsProps<V> {
  /** Names it in the address, among what else the page may show. */
  readonly name: string;
  /** What it is of, in words. */
  readonly label: string;
  readonly list: (query: { readonly cursor?: string; readonly limit: number }) => PromiseLike<WirePage<V>>;
  readonly linesOf: (former: V, version: V) => readonly ChangeLine[];
}

const VERSIONS = 20;

/** What a document of settings was, who has set it and when; read when somebody asks for it. */
export function Versions<V extends Kept>(props: VersionsProps<V>) {
  const { name, label } = props;
  const { search, set } = useFilters();
  if (search.history !== name)
    return (
      <p>
        <Link to="." search={((before: object) => ({ ...before, history: name })) as never}>
          History<span className="hidden"> of {label}</span>
        </Link>
      </p>
    );
  return (
    <section className="card stack apart" aria-label={`${label} so far`}>
      <h2>{label} so far</h2>
      <Listing
        name={`Versions of ${label}`}
        filters={[]}
        read={(_, cursor) => pageOf(props.list, cursor)}
        columns={columnsOf(props.linesOf)}
        idOf={({ now }) => `${now.version}`}
        empty={<Empty title="Nobody has set it" />}
      />
      <div className="actions">
        <button type="button" className="button" onClick={() => set({ history: undefined })}>
          Close the history
        </button>
      </div>
    </section>
  );
}

interface Compared<V> {
  readonly now: V;
  /** Undefined: nobody had set it before. */
  readonly former: V | undefined;
}

/** Each version with the one before; that of the last one is the first of the next page. */
async function pageOf<V>(list: VersionsProps<V>['list'], cursor: string | undefined) {
  const page = await list({ limit: VERSIONS, ...(cursor === undefined ? {} : { cursor }) });
  const { items, nextCursor } = page;
  const older = nextCursor === null ? undefined : (await list({ cursor: nextCursor, limit: 1 })).items[0];
  return {
    ...page,
    items: items.map(
      (now, at): Compared<V> => ({ now, former: at + 1 < items.length ? items[at + 1] : older }),
    ),
  };
}

function columnsOf<V extends Kept>(linesOf: VersionsProps<V>['linesOf']): readonly Column<Compared<V>>[] {
  return [
    { name: 'Version', isNumber: true, cell: ({ now }) => now.version },
    {
      name: 'Set by',
      isText: true,
      cell: ({ now: { changedBy, changedAt } }) => (
        <>
          <Actor id={changedBy ?? ''} />, <At at={changedAt ?? ''} />
        </>
      ),
    },
    {
      name: 'What changed',
      isText: true,
      cell: ({ now, former }) =>
        former === undefined ? 'Set for the first time' : <Lines lines={linesOf(former, now)} />,
    },
  ];
}
