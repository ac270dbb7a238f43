import { useEffect, useRef } from 'react';
import { pairText, pipDecimalsOf, splitRate, spreadPips } from '../money/amount.ts';
import { Verbatim } from '../parts/text.tsx';
import { prices, type Shown } from '../prices/store.ts';

/** The name of a customer, and the price that it would see. */
interface Theirs {
  readonly name: string;
  readonly price: { readonly bid: string | null; readonly ask: string | null } | undefined;
}

type Deal = (side: 'sell' | 'buy') => void;

/** The price of a pair. React makes it once; prices are written into it. */
export function Tile({
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
  const mayDeal = onDeal !== undefined;
  useEffect(() => {
    if (place.current === null) return;
    const tile = new TileWriter(place.current, pipDecimalsOf(pair), mayDeal);
    return prices.watch(pair, (shown) => tile.write(shown));
  }, [pair, mayDeal]);
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
            <Verbatim text={theirs.name} />
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
      <span className="arrow" aria-hidden="true" />
      <span className="price">
        <span className="big" />
        <span className="pips" />
        <span className="rest" />
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
const NOTHING = { bid: null, ask: null, reason: 'price_unavailable' } as const;

/** A text in the page that knows what it says: reading it there, or writing what stands there already, costs a layout for nothing. */
class Written {
  readonly #text: Text;
  #said = '';

  constructor(within: Element, selector: string) {
    this.#text = document.createTextNode('');
    within.querySelector(selector)?.replaceChildren(this.#text);
  }

  say(text: string): void {
    if (text === this.#said) return;
    this.#said = text;
    this.#text.data = text;
  }
}

class SideWriter {
  readonly #button: HTMLButtonElement | null;
  readonly #parts: readonly [big: Written, pips: Written, rest: Written] | undefined;
  readonly #pipDecimals: number;
  #rate = '';
  #move = '';

  constructor(tile: HTMLElement, pipDecimals: number, name: 'bid' | 'ask') {
    this.#pipDecimals = pipDecimals;
    this.#button = tile.querySelector(`[data-side="${name}"]`);
    const button = this.#button;
    if (button === null) return;
    this.#parts = [new Written(button, '.big'), new Written(button, '.pips'), new Written(button, '.rest')];
  }

  write(rate: string, move: 'up' | 'down' | undefined): void {
    const way = move ?? 'none';
    if (way !== this.#move && this.#button !== null) {
      this.#move = way;
      this.#button.dataset.move = way;
    }
    if (rate === this.#rate || this.#parts === undefined) return;
    this.#rate = rate;
    const { big, pips, rest } = splitRate(rate, this.#pipDecimals);
    this.#parts[0].say(big);
    this.#parts[1].say(pips);
    this.#parts[2].say(rest);
  }

  switch(isOff: boolean): void {
    if (this.#button !== null && this.#button.disabled !== isOff) this.#button.disabled = isOff;
  }
}

/** What of a tile changes with its price. It touches only what differs. */
class TileWriter {
  readonly #tile: HTMLElement;
  readonly #pipDecimals: number;
  readonly #mayDeal: boolean;
  readonly #bid: SideWriter;
  readonly #ask: SideWriter;
  readonly #spread: Written;
  readonly #why: Written;
  #state = '';

  constructor(tile: HTMLElement, pipDecimals: number, mayDeal: boolean) {
    this.#tile = tile;
    this.#pipDecimals = pipDecimals;
    this.#mayDeal = mayDeal;
    this.#bid = new SideWriter(tile, pipDecimals, 'bid');
    this.#ask = new SideWriter(tile, pipDecimals, 'ask');
    this.#spread = new Written(tile, '.pip-spread');
    this.#why = new Written(tile, '.why');
  }

  write(shown: Shown | undefined): void {
    const { bid, ask, reason } = shown?.price ?? NOTHING;
    const isLive = prices.link.state === 'live';
    this.#turn(stateOf(bid !== null && ask !== null, reason, isLive));
    if (shown !== undefined && bid !== null && ask !== null) {
      this.#bid.write(bid, shown.moves.bid);
      this.#ask.write(ask, shown.moves.ask);
      this.#spread.say(spreadPips(bid, ask, this.#pipDecimals));
    }
    const seconds = shown === undefined ? 0 : Math.floor((performance.now() - shown.cameAt) / 1_000);
    this.#why.say(whyText(reason, isLive, seconds));
  }

  #turn(state: string): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#tile.dataset.state = state;
    for (const side of [this.#bid, this.#ask]) side.switch(!this.#mayDeal || state !== 'live');
  }
}

function stateOf(hasPrice: boolean, reason: string | undefined, isLive: boolean): string {
  if (!hasPrice) return 'none';
  if (reason !== undefined && HALTED.has(reason)) return 'halted';
  return reason !== undefined || !isLive ? 'stale' : 'live';
}

function whyText(reason: string | undefined, isLive: boolean, seconds: number): string {
  if (reason !== undefined) return `${REASONS[reason] ?? reason} ${seconds} s`;
  if (!isLive) return `Not live ${seconds} s`;
  return seconds < 2 ? 'now' : `${seconds} s ago`;
}
