import { QUOTE_TRANSITIONS, TRANSACTION_TRANSITIONS } from '@firmquote/fx';
import { COMMAND, type Page } from './page.ts';

/** The state machines as pictures. States and arrows come from the domain; where a state stands on the sheet is said here. */

type Point = readonly [x: number, y: number];
interface Arrow {
  /** `null`: it comes into being. */
  readonly from: string | null;
  readonly to: string;
  readonly label: string;
}
interface Drawing {
  readonly name: string;
  readonly title: string;
  readonly size: Point;
  readonly places: Readonly<Record<string, Point>>;
  readonly arrows: readonly Arrow[];
}

const HALF_WIDTH = 76;
const HALF_HEIGHT = 18;
/** How far arrows in both directions keep apart. */
const BOW = 16;
const START_LENGTH = 40;
const START_RADIUS = 5;

export function stateDrawings(): Page[] {
  return [
    draw({
      name: 'quote-states',
      title: 'States of a quote',
      size: [640, 250],
      places: {
        open: [150, 125],
        executed: [520, 30],
        cancelled: [520, 93],
        expired: [520, 157],
        withdrawn: [520, 220],
      },
      arrows: QUOTE_TRANSITIONS.map(({ from, to, trigger }) => ({ from, to, label: trigger })),
    }),
    draw({
      name: 'transaction-states',
      title: 'States of a transaction',
      size: [980, 470],
      places: {
        awaiting_funds: [190, 60],
        partially_funded: [100, 240],
        overdue: [390, 430],
        funded: [430, 140],
        settling: [660, 140],
        settled: [890, 60],
        settlement_failed: [890, 250],
        cancelled: [600, 340],
      },
      arrows: merged(
        TRANSACTION_TRANSITIONS.flatMap(({ number, from, to }) =>
          from.flatMap((start) =>
            to.filter((end) => end !== start).map((end) => ({ from: start, to: end, label: String(number) })),
          ),
        ),
      ),
    }),
  ];
}

/** One arrow for all transitions between two states. */
function merged(arrows: readonly Arrow[]): Arrow[] {
  const between = Map.groupBy(arrows, ({ from, to }) => `${from} ${to}`);
  return [...between.values()].flatMap(([first, ...more]) =>
    first === undefined ? [] : [{ ...first, label: [first, ...more].map(({ label }) => label).join(', ') }],
  );
}

function draw({ name, title, size: [width, height], places, arrows }: Drawing): Page {
  const leaving = new Set(arrows.map(({ from }) => from));
  const states = Object.entries(places).map(([state, [x, y]]) => {
    const kind = leaving.has(state) ? 'state' : 'state final';
    return `<g class="${kind}"><rect x="${x - HALF_WIDTH}" y="${y - HALF_HEIGHT}" width="${2 * HALF_WIDTH}" height="${2 * HALF_HEIGHT}" rx="8"/><text x="${x}" y="${y + 5}" text-anchor="middle">${state}</text></g>`;
  });
  const undrawn = arrows.flatMap(({ from, to }) => [from ?? to, to]).filter((state) => !(state in places));
  if (undrawn.length > 0) throw new Error(`no place for ${undrawn.join(', ')}`);
  const lines = arrows.map((arrow) => {
    const isBothWays = arrows.some(({ from, to }) => from === arrow.to && to === arrow.from);
    return arrowBetween(name, arrow, places, isBothWays ? BOW : 0);
  });
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!-- Made by \`${COMMAND}\` from packages/fx/src/lifecycle.ts. Change that, not this file. -->
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="${name}-title ${name}-about">
<title id="${name}-title">${title}</title>
<desc id="${name}-about">${inWords(arrows)}</desc>
<style>
rect { fill: #f4f6f7; stroke: #56636c } .final rect { fill: #e3f2ef; stroke: #0b6457 }
path, circle { fill: none; stroke: #56636c } marker path, circle { fill: #56636c; stroke: none }
text { fill: #1b2328; font: 13px ui-monospace, monospace } .number { font: 12px system-ui, sans-serif; fill: #56636c; paint-order: stroke; stroke: #fff; stroke-width: 5px }
@media (prefers-color-scheme: dark) {
rect { fill: #1b2126; stroke: #a3b0b9 } .final rect { fill: #14352f; stroke: #5cc9b5 }
path { stroke: #a3b0b9 } marker path, circle { fill: #a3b0b9 } text { fill: #e4e9ec } .number { fill: #a3b0b9; stroke: #0d1117 }
}
</style>
<defs><marker id="${name}-end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0 8 4 0 8Z"/></marker></defs>
${[...lines, ...states].join('\n')}
</svg>
`;
  return { name: `docs/guide/images/${name}.svg`, text };
}

function arrowBetween(
  name: string,
  { from, to, label }: Arrow,
  places: Readonly<Record<string, Point>>,
  bow: number,
): string {
  const end = places[to] ?? [0, 0];
  if (from === null) {
    const [x, y] = end;
    const isLeft = x - HALF_WIDTH - START_LENGTH > 0 && x < 200;
    const start: Point = isLeft ? [x - HALF_WIDTH - START_LENGTH, y] : [x, y - HALF_HEIGHT - START_LENGTH];
    const tip: Point = isLeft ? [x - HALF_WIDTH, y] : [x, y - HALF_HEIGHT];
    const at: Point = isLeft
      ? [start[0] + START_LENGTH / 2, y - HALF_HEIGHT - 8]
      : [x + 16, start[1] + START_LENGTH / 2];
    return `<circle cx="${start[0]}" cy="${start[1]}" r="${START_RADIUS}"/><path d="M${start} L${tip}" marker-end="url(#${name}-end)"/>${number(label, at)}`;
  }
  const start = places[from] ?? [0, 0];
  const [dx, dy] = [end[0] - start[0], end[1] - start[1]];
  const length = Math.hypot(dx, dy);
  const middle: Point = [
    (start[0] + end[0]) / 2 - (dy / length) * bow * 2,
    (start[1] + end[1]) / 2 + (dx / length) * bow * 2,
  ];
  const [first, last] = [edge(start, middle), edge(end, middle)];
  const at: Point = [(first[0] + 2 * middle[0] + last[0]) / 4, (first[1] + 2 * middle[1] + last[1]) / 4];
  return `<path d="M${rounded(first)} Q${rounded(middle)} ${rounded(last)}" marker-end="url(#${name}-end)"/>${number(label, at)}`;
}

const rounded = (point: Point): string => point.map((value) => Math.round(value * 10) / 10).join(',');

function number(label: string, at: Point): string {
  const [x, y] = at.map((value) => Math.round(value)) as [number, number];
  return `<text class="number" x="${x}" y="${y + 4}" text-anchor="middle">${label}</text>`;
}

/** Where the line from the middle of a box to a point leaves it. */
function edge([x, y]: Point, [toX, toY]: Point): Point {
  const [dx, dy] = [toX - x, toY - y];
  const scale = Math.min(HALF_WIDTH / Math.abs(dx || 1e-9), HALF_HEIGHT / Math.abs(dy || 1e-9));
  return [x + dx * scale, y + dy * scale];
}

function inWords(arrows: readonly Arrow[]): string {
  const from = Map.groupBy(arrows, (arrow) => arrow.from);
  return [...from]
    .map(([state, leaving]) => {
      const ends = leaving.map(({ to, label }) => `${to} (${label})`).join(', ');
      return state === null ? `Begins as ${ends}.` : `From ${state} to ${ends}.`;
    })
    .join(' ');
}
