import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouter, useRouterState } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { may, mayRead } from '../api/rights.ts';
import { onNeed, readSession, type Session, signInAddress } from '../api/session.ts';
import { Aloud } from '../parts/aloud.tsx';
import { Icon, Mark } from '../parts/icons.tsx';
import { leftBehind, setLeftBehind, watchLeftBehind } from '../parts/left-behind.ts';
import { useFilters } from '../parts/listing.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { prices } from '../prices/store.ts';
import { usePriceStream } from '../prices/use-price-stream.ts';
import { useArrival } from './arrival.ts';
import { Clock, LinkBadge, useClockOffset, useLinkAloud } from './badges.tsx';
import { useKeptFocus } from './kept-focus.ts';
import { useKeys } from './keys.ts';
import { Navigation } from './navigation.tsx';
import { placesOf } from './places.ts';
import { SessionContext } from './session-context.ts';
import { SignInDialog, type SignInNeed } from './sign-in-dialog.tsx';
import { SignOut } from './sign-out.tsx';
import { currentTheme, setTheme, THEMES, watchTheme } from './theme.ts';

const Palette = lazy(() => import('./palette.tsx').then(({ Palette }) => ({ default: Palette })));
const KeyHelp = lazy(() => import('./palette.tsx').then(({ KeyHelp }) => ({ default: KeyHelp })));
const SandboxDrawer = lazy(() =>
  import('./sandbox.tsx').then(({ SandboxDrawer }) => ({ default: SandboxDrawer })),
);
const Ticket = lazy(() => import('../ticket/ticket.tsx').then(({ Ticket }) => ({ default: Ticket })));

type Layer = 'palette' | 'keys' | 'sandbox' | undefined;

/** What stands around every page, once somebody is signed in. */
export function Frame() {
  const session = useQuery({
    queryKey: ['session'],
    queryFn: readSession,
    staleTime: ({ state }) => readEveryMs(state.data) / 2,
    refetchInterval: ({ state }) => readEveryMs(state.data),
  });
  const offsetMs = useClockOffset();
  const need = useSignInNeed();
  const queries = useQueryClient();
  const seen = session.data && [offsetMs, ...session.data.scopes].join(' ');
  const known = useRef(seen);
  useEffect(() => {
    // With other rights, or at another time of business, the page may show more or less than it does.
    if (known.current !== undefined && known.current !== seen) void queries.invalidateQueries();
    known.current = seen;
  }, [seen, queries]);
  useEffect(() => {
    if (need === 'sign-in' && session.data === undefined) location.replace(signInAddress(false));
  }, [need, session.data]);
  if (session.data === undefined) {
    return (
      <main className="main" id="main">
        {session.error === null || need === 'sign-in' ? (
          <Loading />
        ) : (
          <Failure error={session.error} again={() => void session.refetch()} />
        )}
      </main>
    );
  }
  return (
    <SessionContext value={session.data}>
      <Desk session={session.data} />
      {need !== undefined && <SignInDialog need={need} />}
    </SessionContext>
  );
}

/** Somebody else may move the clock of a sandbox at any time: it is followed within seconds. */
function readEveryMs(session: Session | undefined): number {
  return session?.isSandbox === true ? 4_000 : 120_000;
}

function useSignInNeed() {
  const [need, setNeed] = useState<SignInNeed | undefined>();
  const queries = useQueryClient();
  useEffect(
    () =>
      onNeed((noticed) => {
        if (noticed !== 'rights') setNeed(noticed);
        // A right was taken away while the page was open: what takes it goes.
        else void queries.invalidateQueries({ queryKey: ['session'] }, { cancelRefetch: false });
      }),
    [queries],
  );
  useEffect(() => {
    const later = () => setNeed((before) => (before === 'fresh' ? undefined : before));
    window.addEventListener('firmquote:later', later);
    return () => window.removeEventListener('firmquote:later', later);
  }, []);
  return need;
}

function Desk({ session }: { readonly session: Session }) {
  const [layer, open] = useState<Layer>();
  const [isMenuOpen, openMenu] = useState(false);
  const { search, go } = useFilters();
  const path = useRouterState({ select: (state) => (state.resolvedLocation ?? state.location).pathname });
  const router = useRouter();
  const pause = () => prices.pause(!prices.link.isPaused);
  useKeys({
    palette: () => open('palette'),
    keys: () => open('keys'),
    ticket: () => may(session, 'operator:trades') && go({ ticket: 'new' }),
    pause,
    places: placesOf(session),
    go: (to) => router.history.push(`/console${to}`),
  });
  usePriceStream(session, mayRead(session, 'streamMarketPrices'));
  useArrival(path);
  useKeptFocus();
  useLinkAloud();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page closes it
  useEffect(() => {
    openMenu(false);
    setLeftBehind(undefined);
  }, [path]);
  return (
    <>
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <TopBar session={session} isMenuOpen={isMenuOpen} onMenu={() => openMenu(!isMenuOpen)} onOpen={open} />
      <Navigation isOpen={isMenuOpen} />
      <main className="main" id="main" tabIndex={-1}>
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
      <Aloud />
      <StatusLine session={session} onKeys={() => open('keys')} />
      <Suspense fallback={null}>
        {layer === 'palette' && <Palette onClose={() => open(undefined)} {...{ open, pause }} />}
        {layer === 'sandbox' && <SandboxDrawer onClose={() => open(undefined)} />}
        {layer === 'keys' && <KeyHelp onClose={() => open(undefined)} />}
        {search.ticket === 'new' && <Ticket />}
      </Suspense>
    </>
  );
}

function TopBar({
  session,
  isMenuOpen,
  onMenu,
  onOpen,
}: {
  readonly session: Session;
  readonly isMenuOpen: boolean;
  readonly onMenu: () => void;
  readonly onOpen: (layer: Layer) => void;
}) {
  return (
    <header className="top">
      <button
        type="button"
        className="button menu-button"
        aria-expanded={isMenuOpen}
        aria-controls="navigation"
        onClick={onMenu}
      >
        Menu
      </button>
      <a className="brand" href="/console/overview" aria-label="Firmquote, overview">
        <Mark />
        <span>Firmquote</span>
      </a>
      <Environment isSandbox={session.isSandbox} onOpen={() => onOpen('sandbox')} />
      <button type="button" className="search" onClick={() => onOpen('palette')}>
        <span>Search or jump to an id</span>
        <kbd>Ctrl K</kbd>
      </button>
      <Clock />
      {mayRead(session, 'streamMarketPrices') && <LinkBadge />}
    </header>
  );
}

function Environment({ isSandbox, onOpen }: { readonly isSandbox: boolean; readonly onOpen: () => void }) {
  if (!isSandbox) return <span className="badge live">LIVE</span>;
  return (
    <button type="button" className="badge" title="Clock, market and bank of the sandbox" onClick={onOpen}>
      SANDBOX
    </button>
  );
}

function StatusLine({ session, onKeys }: { readonly session: Session; readonly onKeys: () => void }) {
  const theme = useSyncExternalStore(watchTheme, currentTheme);
  const done = useSyncExternalStore(watchLeftBehind, leftBehind);
  return (
    <footer className="status">
      <span>
        {session.name} <span className="hint">{session.roles.join(', ')}</span>
      </span>
      <span className="spring" />
      {/* It is there before there is anything to say, or nothing is heard of it. */}
      <span role="status">
        {done !== undefined && (
          <span className="chip ok">
            <Icon name="ok" /> {done}
          </span>
        )}
      </span>
      <label>
        Theme{' '}
        <select
          value={theme}
          onChange={({ target }) => setTheme(THEMES.find((each) => each === target.value) ?? 'system')}
        >
          {THEMES.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <button type="button" className="plain" onClick={onKeys}>
        Keys
      </button>
      <a href="/docs/">Documentation</a>
      <SignOut csrfToken={session.csrfToken} />
    </footer>
  );
}
