import type { SwapPointsVersion } from '@firmquote/client/operator';
import type { ChangeLine } from '../parts/change.tsx';

type Points = SwapPointsVersion['on'];

export const LEG_WORDS: Readonly<Record<string, string>> = {
  on: 'Overnight',
  tn: 'Tom-next',
  broken: 'To spot',
};

function pipsInWords(of: Points): string | undefined {
  return of === null ? undefined : `${of.bid} / ${of.ask} pips`;
}

/** What differs between points that somebody set and those that were set before. */
export function linesOfPoints(former: SwapPointsVersion, points: SwapPointsVersion): readonly ChangeLine[] {
  const line = (what: string, of: (version: SwapPointsVersion) => string | undefined): ChangeLine => ({
    what,
    before: of(former),
    after: of(points),
  });
  return [
    line('Overnight', ({ on }) => pipsInWords(on)),
    line('Tom-next', ({ tn }) => pipsInWords(tn)),
    line('Trade date', ({ tradeDate }) => tradeDate),
    line('Source', ({ source }) => source),
    line('Reason', ({ reason }) => reason),
  ].filter(({ before, after }) => before !== after);
}
