import { code, type Page, page, table } from './page.ts';
import { bytes, count, duration, evaluate, type SourceFile, sourceFiles } from './source.ts';

/**
 * Limits are the constants whose line ends in `// limit: what it bounds`, or in `// limit` where the comment above says
 * so in its first sentence. A unit that the name does not tell stands in braces: `// limit: {bytes} Log`.
 */
export interface Limit {
  /** Folder of the service, or another package. */
  readonly room: string;
  /** Name of the constant. */
  readonly name: string;
  readonly what: string;
  readonly value: string;
}

const MARK = /^(.*[;,]) \/\/ limit(?:: (?:\{([\w ]+)\} )?(.+))?$/;
const DECLARATION = /^\s*(?:export )?(?:const )?(\w+)(?:: [^=]+(?= =))?(?: =|:)\s*(.*)$/;

export function limits(files: readonly SourceFile[] = sourceFiles()): Limit[] {
  return files.flatMap((file) => {
    const lines = file.text.split('\n');
    return lines.flatMap((line, at) => {
      if (!line.includes('// limit')) return [];
      const [, last = '', unit, reported] = MARK.exec(line) ?? [];
      // An expression may begin on the line before.
      const start = DECLARATION.test(last) ? at : at - 1;
      const declared = start === at ? last : `${lines[start]}${last}`;
      const [, name = '', rest = ''] = DECLARATION.exec(declared) ?? [];
      const value = valueText(rest.replace(/(?: as const)?[;,]$/, ''), file, unit ?? unitOf(name));
      const what = reported ?? firstSentence(lines[start - 1]);
      if (value === undefined || what === undefined) {
        throw new Error(`${file.path}:${at + 1}: a limit that cannot be told`);
      }
      return [{ room: roomOf(file.path), name, what, value }];
    });
  });
}

export function limitsPage(): Page {
  const all = limits();
  const rooms = [...new Set(all.map(({ room }) => room))].sort();
  return page('limits.md', 'Limits', 'the constants that are marked `// limit` in packages/*/src', [
    'What bounds requests, files, memory and time, by room. Rates apply to each instance, figures of memory to each process.',
    ...rooms.flatMap((room) => [
      '',
      `## ${room}`,
      '',
      ...table(
        ['What', 'Limit', 'Constant'],
        all
          .filter((limit) => limit.room === room)
          .sort((a, b) => (a.what < b.what ? -1 : 1))
          .map(({ what, value, name }) => [what, value, code(name)]),
      ),
    ]),
  ]);
}

function roomOf(path: string): string {
  const [, pack = '', , room = ''] = path.split('/');
  if (pack !== 'service') return pack;
  return room.endsWith('.ts') ? 'service' : room;
}

/** A name says its unit: `HELD_MAX` is a number, `STOP_LIMIT_MS` milliseconds, `tradeUsdMinor` cents. */
function unitOf(name: string): string | undefined {
  const words = name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split('_');
  if (words.includes('minor') && words.includes('usd')) return 'cents';
  return ['ms', 'seconds', 'bytes', 'days', 'months', 'bps'].find((unit) => words.includes(unit));
}

function valueText(expression: string, file: SourceFile, unit: string | undefined): string | undefined {
  const text = /^'([^']*)'$/.exec(expression)?.[1] ?? expression;
  const [, perMinute, burst] = /^\{ perMinute: ([\d_]+)(?:, burst: ([\d_]+))? \}$/.exec(text) ?? [];
  if (perMinute !== undefined) {
    const rate = `${count(Number(perMinute.replaceAll('_', '')))} a minute`;
    return burst === undefined ? rate : `${rate}, ${burst} at once`;
  }
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return text;
  const value = evaluate(text, file);
  if (value === undefined) return undefined;
  switch (unit) {
    case undefined:
      return count(value);
    case 'ms':
      return duration(value);
    case 'seconds':
      return duration(value * 1_000);
    case 'bytes':
      return bytes(value);
    case 'cents':
      return `${count(value / 100)} USD`;
    default:
      return value === 1 ? `1 ${unit.replace(/s$/, '')}` : `${count(value)} ${unit}`;
  }
}

/** Of a comment on one line. */
function firstSentence(line: string | undefined): string | undefined {
  const text = /^\s*\/\*\* (.+) \*\/$/.exec(line ?? '')?.[1];
  return text?.split(/[.:;](?:\s|$)/, 1)[0]?.replace(/ \(docs\/[^)]*\)/, '');
}
