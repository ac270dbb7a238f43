import { operation } from '../operation.ts';
import { byDefault, choice, instant, integer, pair, required } from '../parameters.ts';
import { Instant, literals, named, PairCode, pageOf } from '../schema.ts';
import { type Static, Type } from '../typebox.ts';

/** The history of the market, in bars. */

export const BAR_INTERVALS = ['1s', '1m'] as const;
export type BarInterval = (typeof BAR_INTERVALS)[number];

const DEFAULT_BARS = 500; // limit: Bars on a page, by default
/** Charts want more than a page of a list. */
const MAX_BARS = 1_000; // limit: Bars on a page, at most

const BarPrice = Type.String({ examples: ['1.084910'] });
const Bar = named(
  'Bar',
  Type.Object(
    {
      at: Instant,
      open: BarPrice,
      high: BarPrice,
      low: BarPrice,
      close: BarPrice,
      bid: BarPrice,
      ask: BarPrice,
      ticks: Type.Integer({ description: 'Number of prices in it.' }),
    },
    { description: 'Open, high, low and close are of the mid; bid and ask are the last ones.' },
  ),
);
export type Bar = Static<typeof Bar>;

export const listBars = operation({
  id: 'listBars',
  method: 'GET',
  path: '/v1/operator/market/bars',
  tag: 'Operator: market',
  summary: 'List bars of a pair, newest first',
  description: 'Shows what its own price did in each second or minute.',
  access: { audience: 'operator', scope: 'operator:market' },
  query: {
    pair: required(pair()),
    interval: byDefault(choice(BAR_INTERVALS), '1m'),
    from: instant('Inclusive.'),
    to: instant('Exclusive.'),
    limit: byDefault(integer(1, MAX_BARS, 'Bars on a page.'), DEFAULT_BARS),
  },
  pages: true,
  answers: {
    200: Type.Object(
      { pair: PairCode, interval: literals(BAR_INTERVALS), ...pageOf(Bar).properties },
      { description: 'A page.' },
    ),
  },
  problems: ['pair_not_supported'],
});
