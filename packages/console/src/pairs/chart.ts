import type { Bar } from '@firmquote/client/operator';

/** Bars of a pair as lines, in a field of which the time is the width. */

export interface Drawn {
  /** Of the mid, as `d` of a path: one for each stretch in which there were prices. */
  readonly lines: readonly string[];
  /** From the lowest to the highest mid, the same. */
  readonly bands: readonly string[];
  readonly first: Bar;
  readonly last: Bar;
  readonly high: string;
  readonly low: string;
  /** Of the last mid over the first, in percent, with its sign. */
  readonly change: string;
}

/** Where nothing came for so long, no line is drawn over it. */
const GAP_MS = 5 * 60_000;

/**
 * @param newestFirst as the service lists them
 * @returns undefined where there are none
 */
export function drawn(newestFirst: readonly Bar[], width: number, height: number): Drawn | undefined {
  const bars = newestFirst.toReversed();
  const [first] = bars;
  const last = bars.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const high = bars.reduce((most, each) => (Number(each.high) > Number(most) ? each.high : most), first.high);
  const low = bars.reduce((least, each) => (Number(each.low) < Number(least) ? each.low : least), first.low);
  const [begin, end] = [Date.parse(first.at), Date.parse(last.at)];
  const x = ({ at }: Bar) =>
    round(end === begin ? width : ((Date.parse(at) - begin) / (end - begin)) * width);
  const range = Number(high) - Number(low);
  const y = (price: string) =>
    round(range === 0 ? height / 2 : ((Number(high) - Number(price)) / range) * height);
  const stretches = stretchesOf(bars);
  const through = (points: readonly string[]) => `M${points.join('L')}`;
  return {
    lines: stretches.map((stretch) => through(stretch.map((bar) => `${x(bar)} ${y(bar.close)}`))),
    bands: stretches.map((stretch) => {
      const above = stretch.map((bar) => `${x(bar)} ${y(bar.high)}`);
      const below = stretch.toReversed().map((bar) => `${x(bar)} ${y(bar.low)}`);
      return `${through([...above, ...below])}Z`;
    }),
    ...{ first, last, high, low },
    change: changeBetween(Number(first.open), Number(last.close)),
  };
}

function stretchesOf(bars: readonly Bar[]): readonly (readonly Bar[])[] {
  const stretches: Bar[][] = [];
  let before = Number.NEGATIVE_INFINITY;
  for (const bar of bars) {
    const at = Date.parse(bar.at);
    if (at - before > GAP_MS) stretches.push([]);
    stretches.at(-1)?.push(bar);
    before = at;
  }
  return stretches;
}

function round(place: number): number {
  return Math.round(place * 10) / 10;
}

function changeBetween(before: number, after: number): string {
  const percent = ((after - before) / before) * 100;
  return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(2)} %`;
}
