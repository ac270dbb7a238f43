/** Where the lines of a text were in an earlier one, so that what was measured of that need not be measured again. */
export class EarlierText {
  /** Of each line now, its line in the earlier text. */
  readonly #lines: readonly (number | undefined)[];
  readonly #starts: readonly number[];
  readonly #earlierStarts: readonly number[];

  constructor(earlier: string, now: string) {
    const [from, to] = [earlier.split('\n'), now.split('\n')];
    this.#starts = startsOf(to);
    this.#earlierStarts = startsOf(from);
    this.#lines = matched(from, to);
  }

  /** Undefined where the line is new. */
  offsetOf(offset: number): number | undefined {
    const line = this.#starts.findLastIndex((start) => start <= offset);
    const earlier = this.#lines[line];
    if (earlier === undefined) return undefined;
    return (this.#earlierStarts[earlier] as number) + offset - (this.#starts[line] as number);
  }

  /** The part of the lines that are old, from 0 to 1. */
  get share(): number {
    return this.#lines.filter((line) => line !== undefined).length / this.#lines.length;
  }
}

function startsOf(lines: readonly string[]): number[] {
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += line.length + 1;
    return start;
  });
}

/** Lines that each text has once are the same; what is equal beside them is the same as well. */
function matched(from: readonly string[], to: readonly string[]): (number | undefined)[] {
  const [once, onceNow] = [onlyOnes(from), onlyOnes(to)];
  const lines = to.map((line) => (onceNow.has(line) ? once.get(line) : undefined));
  const join = (at: number, step: 1 | -1) => {
    const beside = at - step < 0 || at - step >= to.length ? undefined : lines[at - step];
    const place = beside === undefined ? (at === 0 && step === 1 ? 0 : undefined) : beside + step;
    if (lines[at] === undefined && place !== undefined && from[place] === to[at]) lines[at] = place;
  };
  for (let at = 0; at < to.length; at++) join(at, 1);
  for (let at = to.length - 1; at >= 0; at--) join(at, -1);
  return lines;
}

function onlyOnes(lines: readonly string[]): Map<string, number> {
  const places = Map.groupBy(lines.keys(), (at) => lines[at] as string);
  return new Map(
    [...places].flatMap(([line, [at, ...more]]) => (more.length === 0 ? [[line, at as number]] : [])),
  );
}
