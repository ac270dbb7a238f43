import type { PairSettings, SwapPoints } from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import type { Asked, Given } from '../parts/action.tsx';
import { type PageCommand, REASON, text } from '../parts/page-command.ts';
import { check } from '../parts/written-forms.ts';
import { unchanged } from './settings.ts';

/** Whether a pair is quoted; all else of its settings goes back as it came. */
function quoting(
  of: PairSettings,
  enabled: boolean,
  more: Pick<PageCommand<undefined>, 'label' | 'about' | 'done'>,
) {
  const command: PageCommand<undefined> = {
    ...more,
    scope: 'operator:market',
    why: 'pricing',
    send: ([pair = ''], _, { reason, ifMatch = '' }) =>
      operator.setPairSettings(pair, { ...unchanged(of), enabled }, { reason, ifMatch }),
  };
  return command;
}

export const suspendPair = (of: PairSettings) =>
  quoting(of, false, {
    label: 'Suspend',
    about:
      'It is not quoted until somebody resumes it. Open quotes stay valid: to withdraw them, halt the pair under Price health.',
    done: 'The pair is suspended.',
  });

export const resumePair = (of: PairSettings) =>
  quoting(of, true, { label: 'Resume', about: 'It is quoted again.', done: 'The pair is quoted again.' });

export const ACCEPT_PRICE: PageCommand<undefined> = {
  label: 'Accept a price',
  scope: 'operator:market',
  // The reason is in the command itself.
  why: 'none',
  about:
    'For when the market has moved so far that its prices are refused. Check it elsewhere first. From then on, prices within the band of this one are trusted, and others are not.',
  done: 'The price is accepted. Prices within its band are trusted.',
  asks: () => [
    {
      name: 'price',
      label: 'Correct mid price',
      hint: 'Such as 1.08491.',
      check: check(/^(?=.*[1-9])\d{1,12}(\.\d{1,10})?$/, 'Enter a price, such as 1.08491.'),
    },
    REASON,
  ],
  send: ([pair = ''], { price, reason }, { idempotencyKey }) =>
    operator.acceptPrice(pair, { price: text(price), reason: text(reason) }, { idempotencyKey }),
};

const LEGS = [
  ['on', 'Overnight'],
  ['tn', 'Tom-next'],
] as const;

function pips(name: string, label: string, initial: string | undefined): Asked {
  return {
    name,
    label: `${label}, pips`,
    isOptional: true,
    initial: initial ?? '',
    read: (given) => given.trim().replace('−', '-'),
    check: check(/^-?\d{1,7}(\.\d{1,8})?$/, 'Enter pips with their sign, such as 0.52 or -0.33.'),
  };
}

/** A leg with neither side is left to sources and interest rates. */
function legOf(given: Given, leg: string): { readonly bid: string; readonly ask: string } | null {
  const [bid, ask] = [text(given[`${leg}Bid`]), text(given[`${leg}Ask`])];
  return bid === '' && ask === '' ? null : { bid, ask };
}

export const SET_SWAP_POINTS: PageCommand<Pick<SwapPoints, 'set' | 'tradeDate'>> = {
  label: 'Set swap points',
  scope: 'operator:prices',
  // The reason is in the command itself.
  why: 'none',
  about: 'For this trade date. A leg that is left empty comes from sources and interest rates.',
  done: 'The points are in force.',
  asks: ({ set, tradeDate }) => {
    // Those of another trade date have lapsed: nobody sets them again without writing them.
    const now = set?.tradeDate === tradeDate ? set : null;
    return [
      ...LEGS.flatMap(([leg, name]) => [
        pips(`${leg}Bid`, `${name} bid`, now?.[leg]?.bid),
        pips(`${leg}Ask`, `${name} ask`, now?.[leg]?.ask),
      ]),
      { name: 'source', label: 'Source of the points', initial: now?.source ?? '' },
      REASON,
    ];
  },
  send: ([pair = ''], given, { ifMatch = '' }) =>
    operator.setSwapPoints(
      pair,
      {
        on: legOf(given, 'on'),
        tn: legOf(given, 'tn'),
        source: text(given.source),
        reason: text(given.reason),
      },
      { ifMatch },
    ),
};
