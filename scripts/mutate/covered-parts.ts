/** Parts of a file that were run, as pairs of offsets in their order: from, to, from, to … */
export type Parts = readonly number[];

/** What V8 reports of one file. */
export interface Script {
  readonly url: string;
  readonly functions: readonly {
    readonly ranges: readonly {
      readonly startOffset: number;
      readonly endOffset: number;
      readonly count: number;
    }[];
  }[];
}

/** Ranges lie in each other; the innermost one says whether a place was run. */
export function partsOf(script: Script): Parts {
  const ranges = script.functions
    .flatMap((each) => each.ranges)
    .sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const parts: number[] = [];
  const open = [{ endOffset: Number.POSITIVE_INFINITY, count: 0 }];
  let at = 0;
  const goTo = (offset: number, count: number) => {
    if (offset <= at) return;
    if (count > 0 && parts.at(-1) === at) parts[parts.length - 1] = offset;
    else if (count > 0) parts.push(at, offset);
    at = offset;
  };
  const closeUntil = (offset: number) => {
    for (let last = open.at(-1); last !== undefined && last.endOffset <= offset; last = open.at(-1)) {
      goTo(last.endOffset, last.count);
      open.pop();
    }
  };
  for (const range of ranges) {
    closeUntil(range.startOffset);
    goTo(range.startOffset, open.at(-1)?.count ?? 0);
    open.push(range);
  }
  closeUntil(Number.MAX_SAFE_INTEGER);
  return parts;
}

/** What either process ran. */
export function eitherOf(one: Parts, other: Parts): Parts {
  const pairs = [...pairsOf(one), ...pairsOf(other)].sort(([a], [b]) => a - b);
  const parts: number[] = [];
  for (const [from, to] of pairs) {
    const end = parts.at(-1);
    if (end === undefined || end < from) parts.push(from, to);
    else parts[parts.length - 1] = Math.max(end, to);
  }
  return parts;
}

export const holds = (parts: Parts, offset: number) =>
  pairsOf(parts).some(([from, to]) => from <= offset && offset < to);

export const lengthOf = (parts: Parts) => pairsOf(parts).reduce((sum, [from, to]) => sum + to - from, 0);

function pairsOf(parts: Parts): [number, number][] {
  const pairs: [number, number][] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) pairs.push([parts[at] as number, parts[at + 1] as number]);
  return pairs;
}
