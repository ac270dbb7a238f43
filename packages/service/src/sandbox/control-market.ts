import type * as api from '@firmquote/api/operations/sandbox';
import { formatDecimal, parseDecimal } from '@firmquote/fx';
import { requirePair } from '../http/market-codes.ts';
import { POSITIVE } from '../http/sentences.ts';
import type { Market } from '../market/market.ts';
import { systemClock } from '../platform/clock.ts';
import type { Neighbours } from '../platform/neighbours.ts';
import { validationProblem } from '../problems/problem.ts';

/** What was asked last of a pair, or of the market as a whole. */
interface Control {
  readonly body: api.ControlMarket;
  /** Business time, which is that of a price that stands still. */
  readonly at: number;
  /** Real time: what was asked later counts. */
  readonly askedAt: number;
}

/** Prices that stand still, and a market that is open or closed because somebody says so: in this process, and in the others. */
export class MarketControls {
  readonly #market: Market;
  readonly #now: () => number;
  readonly #neighbours: Neighbours | undefined;
  readonly #latest = new Map<string, Control>();

  /** @param now business time */
  constructor(market: Market, now: () => number, neighbours?: Neighbours) {
    this.#market = market;
    this.#now = now;
    this.#neighbours = neighbours;
    neighbours?.onNotified(SUBJECT, (value) => this.#hear(value as Control));
    neighbours?.onJoined((number) => {
      for (const control of this.#latest.values()) neighbours.notify(SUBJECT, control, number);
    });
  }

  /** @throws Problem validation_failed, pair_not_supported */
  control(body: api.ControlMarket): api.ControlledMarket {
    const control = { body, at: this.#now(), askedAt: systemClock.now() };
    const answer = controlMarket(this.#market, body, control.at);
    this.#latest.set(body.pair ?? '', control);
    this.#neighbours?.notify(SUBJECT, control);
    return answer;
  }

  #hear(control: Control): void {
    const key = control.body.pair ?? '';
    const latest = this.#latest.get(key);
    if (latest !== undefined && latest.askedAt > control.askedAt) return;
    this.#latest.set(key, control);
    controlMarket(this.#market, control.body, control.at);
  }
}

const SUBJECT = 'sandbox market';

function controlMarket(market: Market, body: api.ControlMarket, at: number): api.ControlledMarket {
  const { pair: code, bid: bidText, ask: askText, live, state } = body;
  const given = Object.keys(body).sort().join(' ');
  if (state !== undefined && given === 'state') {
    market.override(state);
    return { state };
  }
  if (code === undefined || (given !== 'ask bid pair' && given !== 'live pair')) {
    throw invalid('', 'not_permitted', 'must have state, or pair with live, or pair with bid and ask');
  }
  const pair = requirePair(code, '/pair');
  if (live === true) {
    market.book.release(pair.code);
    return { pair: pair.code, live: true };
  }
  const bid = parseDecimal(bidText ?? '');
  const ask = parseDecimal(askText ?? '');
  if (bid === undefined || bid.units <= 0n) throw invalid('/bid', 'out_of_range', POSITIVE);
  if (ask === undefined || ask.units <= 0n) throw invalid('/ask', 'out_of_range', POSITIVE);
  try {
    market.book.freeze(pair.code, bid, ask, at);
  } catch (error) {
    if (error instanceof RangeError) throw invalid('/bid', 'out_of_range', 'must not be above the ask');
    throw error;
  }
  return { pair: pair.code, bid: formatDecimal(bid), ask: formatDecimal(ask), live: false };
}

export function invalid(pointer: string, code: string, detail: string): Error {
  return validationProblem([{ pointer, code, detail }]);
}
