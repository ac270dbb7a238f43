import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { may, operator } from '../api/session.ts';
import { useLink } from '../frame/badges.tsx';
import { useSession } from '../frame/session-context.ts';
import { pairText, pipDecimalsOf, splitRate, spreadPips } from '../money/amount.ts';
import { useCustomers } from '../parts/customers.ts';
import { Choice, useFilters } from '../parts/listing.tsx';
import { Empty, Loading } from '../parts/states.tsx';
import { Told } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { STREAMED_MAX, usePairs } from '../prices/pairs.ts';
import { prices, type Shown } from '../prices/store.ts';

/** Live prices of the market, a tile each. */
export function Markets() {
  const session = useSession();
  const all = usePairs();
  const pairs = all?.slice(0, STREAMED_MAX);
  const { search, set } = useFilters();
  const { isPaused, market, problem } = useLink();
  useTitle('Markets');
  const halts = useQuery({
    queryKey: ['halts'],
    queryFn: () => operator.listPrices().then(({ items }) => new Map(items.map((item) => [item.pair, item]))),
    refetchInterval: 10_000,
  });
  const mayDeal = may(session, 'operator:trades');
  const customers = useCustomers(mayDeal);
  const chosen = customers.data?.find(({ customerId }) => customerId === search.customer);
  const theirs = useCustomerPrices(chosen?.customerId, isPaused ? undefined : pairs);
  const currencies = [...new Set(pairs?.flatMap((pair) => [pair.slice(0, 3), pair.slice(3)]))].sort();
  const shown = pairs?.filter(
    (pair) =>
      (search.pair === undefined || pair === search.pair) &&
      (search.currency === undefined || pair.includes(search.currency)),
  );
  return (
    <>
      <div className="page-head">
        <h1>Markets</h1>
        <button
          type="button"
          className="button"
          aria-pressed={isPaused}
          onClick={() => prices.pause(!isPaused)}
        >
          {isPaused ? 'Go on' : 'Pause prices'} <kbd>P</kbd>
        </button>
        {may(session, 'operator:trades') && (
          <button type="button" className="button first" onClick={() => set({ ticket: 'new' })}>
            New ticket
          </button>
        )}
      </div>
      <div className="filters">
        <Choice name="currency" label="Currency" options={currencies.map((code) => [code, code])} />
        {mayDeal && (
          <Choice
            name="customer"
            label="Prices of"
            options={(customers.data ?? []).map(({ customerId, name }) => [customerId, name])}
          />
        )}
        {search.pair !== undefined && (
          <button type="button" className="button" onClick={() => set({ pair: undefined })}>
            Only {pairText(search.pair)} ✕
          </button>
        )}
      </div>
      {isPaused && (
        <p className="callout warn" role="status">
          Prices are paused. The market goes on.
        </p>
      )}
      {problem !== undefined && <p className="callout bad">{problem}</p>}
      {market === 'closed' && <p className="callout warn">The market is closed.</p>}
      {all !== undefined && all.length > STREAMED_MAX && (
        <p className="hint" style={{ marginBottom: 12 }}>
          The first {STREAMED_MAX} of {all.length} pairs, majors on top. The others are in the ticket.
        </p>
      )}
      {shown === undefined ? (
        <Loading />
      ) : shown.length === 0 ? (
        <Empty title="No pair is quoted">
          <p>There is no source of prices for what you have chosen.</p>
        </Empty>
      ) : (
        <div className="tiles">
          {shown.map((pair) => (
            <Tile
              key={pair}
              pair={pair}
              theirs={chosen && { name: chosen.name, price: theirs.get(pair) }}
              source={halts.data?.get(pair)?.source}
              onDeal={
                may(session, 'operator:trades')
                  ? (side) => set({ ticket: 'new', deal: pair, side })
                  : undefined
              }
            />
          ))}
        </div>
      )}
    </>
  );
}

const CUSTOMER_PRICES_EVERY_MS = 1_000;

/** What the chosen customer would see. */
function useCustomerPrices(customerId: string | undefined, pairs: readonly string[] | undefined) {
  const { data } = useQuery({
    queryKey: ['customer-prices', customerId, pairs],
    queryFn: async () => (await operator.listCustomerPrices(customerId ?? '', { pairs: pairs ?? [] })).items,
    enabled: customerId !== undefined && pairs !== undefined && pairs.length > 0,
    refetchInterval: CUSTOMER_PRICES_EVERY_MS,
    placeholderData: (before) => before,
  });
  const items = customerId === undefined ? [] : (data ?? []);
  return new Map(items.map((item) => [item.pair as string, item]));
}

interface Theirs {
  readonly name: string;
  readonly price: { readonly bid: string | null; readonly ask: string | null } | undefined;
}

type Deal = (side: 'sell' | 'buy') => void;

/** React makes it once; prices are written into it. */
function Tile({
  pair,
  theirs,
  source,
  onDeal,
}: {
  readonly pair: string;
  readonly theirs: Theirs | undefined;
  readonly source: string | undefined;
  readonly onDeal: Deal | undefined;
}) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    const tile = place.current;
    if (tile === null) return;
    const write = () => writeTile(tile, prices.of(pair), onDeal !== undefined);
    write();
    const timer = setInterval(() => writeAge(tile, prices.of(pair)), 1_000);
    const stop = prices.watch(pair, write);
    return () => {
      stop();
      clearInterval(timer);
    };
  }, [pair, onDeal]);
  const base = pair.slice(0, 3);
  return (
    <article
      className={theirs === undefined ? 'tile' : 'tile two'}
      ref={place}
      data-pair={pair}
      data-state="none"
      aria-label={pairText(pair)}
    >
      <header>
        <h2>{pairText(pair)}</h2>
        <span className="hint">Spot</span>
      </header>
      <div className="sides">
        <Side name="bid" label={`Sell ${base}`} onDeal={onDeal && (() => onDeal('sell'))} />
        <span className="pip-spread" title="Spread in pips" />
        <Side name="ask" label={`Buy ${base}`} onDeal={onDeal && (() => onDeal('buy'))} />
      </div>
      {theirs !== undefined && (
        <p className="theirs">
          <span className="name">
            <Told text={theirs.name} />
          </span>
          <b>
            {theirs.price?.bid ?? '–'} / {theirs.price?.ask ?? '–'}
          </b>
        </p>
      )}
      <footer>
        <span>{source ?? ''}</span>
        <span className="why" />
      </footer>
    </article>
  );
}

function Side({
  name,
  label,
  onDeal,
}: {
  readonly name: 'bid' | 'ask';
  readonly label: string;
  readonly onDeal: (() => void) | undefined;
}) {
  return (
    <button type="button" className="side" data-side={name} disabled={onDeal === undefined} onClick={onDeal}>
      <small>{label}</small>
      <span className="price">
        <span className="big" />
        <span className="pips" />
        <span className="rest" />
        <span className="arrow" aria-hidden="true" />
      </span>
    </button>
  );
}

const REASONS: Readonly<Record<string, string>> = {
  stale: 'Stale',
  market_closed: 'Market closed',
  halt: 'Halted',
  pair_not_enabled: 'Not enabled',
  calendar_missing: 'No calendar',
  price_unavailable: 'No price',
};
const HALTED = new Set(['halt', 'market_closed', 'pair_not_enabled', 'calendar_missing']);

function writeTile(tile: HTMLElement, shown: Shown | undefined, mayDeal: boolean): void {
  const { bid, ask, reason } = shown?.price ?? { bid: null, ask: null, reason: undefined };
  const isLive = prices.link.state === 'live';
  const state =
    bid === null || ask === null
      ? 'none'
      : reason !== undefined && HALTED.has(reason)
        ? 'halted'
        : reason !== undefined || !isLive
          ? 'stale'
          : 'live';
  set(tile, 'state', state);
  if (bid !== null && ask !== null) {
    writeSide(tile, 'bid', bid, shown?.moves.bid);
    writeSide(tile, 'ask', ask, shown?.moves.ask);
    text(tile, '.pip-spread', spreadPips(bid, ask, pipDecimalsOf(bid)));
  }
  for (const button of tile.querySelectorAll<HTMLButtonElement>('.side')) {
    const isOff = !mayDeal || state !== 'live';
    if (button.disabled !== isOff) button.disabled = isOff;
  }
  writeAge(tile, shown);
}

function writeSide(
  tile: HTMLElement,
  name: 'bid' | 'ask',
  rate: string,
  move: 'up' | 'down' | undefined,
): void {
  const side = tile.querySelector<HTMLElement>(`[data-side="${name}"] .price`);
  if (side === null) return;
  const { big, pips, rest } = splitRate(rate, pipDecimalsOf(rate));
  text(side, '.big', big);
  text(side, '.pips', pips);
  text(side, '.rest', rest);
  text(side, '.arrow', move === 'up' ? '▲' : move === 'down' ? '▼' : '');
  set(side, 'move', move ?? 'none');
}

function writeAge(tile: HTMLElement, shown: Shown | undefined): void {
  const age = shown === undefined ? 0 : Math.floor((performance.now() - shown.cameAt) / 1_000);
  const { reason } = shown?.price ?? { reason: 'price_unavailable' };
  const why =
    reason === undefined ? (prices.link.state === 'live' ? '' : 'Not live') : (REASONS[reason] ?? reason);
  text(tile, '.why', why === '' ? (age < 2 ? 'now' : `${age} s ago`) : `${why} ${age} s`);
}

/** Only what differs is written: the rest costs a layout for nothing. */
function text(within: HTMLElement, selector: string, content: string): void {
  const place = within.querySelector(selector);
  if (place !== null && place.textContent !== content) place.textContent = content;
}

function set(element: HTMLElement, name: string, value: string): void {
  if (element.dataset[name] !== value) element.dataset[name] = value;
}
