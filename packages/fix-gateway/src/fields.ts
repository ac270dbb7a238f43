import type { MsgView } from './library.ts';
import { type FieldName, TAGS } from './tags.ts';

/** A message, or one entry of a repeating group, as texts. The library's typed values are floats, so nobody asks for them. */
export interface Fields {
  /** The first field of this name; undefined when it is absent or empty. */
  text(name: FieldName): string | undefined;
  /**
   * The entries of a repeating group by its counter, such as `NoMDEntries`.
   * @throws FieldError when they are not as many as it says
   */
  rows(name: FieldName): readonly Fields[];
}

/** A message that lacks what it must have, or has it in a wrong form. */
export class FieldError extends Error {
  override readonly name = 'FieldError';
}

type Field = readonly [tag: number, text: string];

/**
 * The library's own groups end at the first field that the dictionary does not have in them, and venues add fields of
 * their own. Here an entry begins with the field that follows the counter (FIX 4.4, repeating groups) and ends where the
 * next one begins.
 */
export function fieldsOf(view: MsgView): Fields {
  // Protected there, and the one way to a field by its place.
  const source = view as unknown as { stringAtPosition(position: number): string | null };
  const tags = view.structure?.tags;
  const fields: Field[] = [];
  for (let position = 0; position < (tags?.nextTagPos ?? 0); position++) {
    const tag = tags?.tagPos[position]?.tag;
    if (tag !== undefined) fields.push([tag, source.stringAtPosition(position) ?? '']);
  }
  return readerOf(fields);
}

function readerOf(fields: readonly Field[]): Fields {
  return {
    text: (name) => fields.find(([tag]) => tag === TAGS[name])?.[1] || undefined,
    rows(name) {
      const at = fields.findIndex(([tag]) => tag === TAGS[name]);
      if (at === -1) return [];
      const rest = fields.slice(at + 1);
      const starts = rest.flatMap(([tag], index) => (tag === rest[0]?.[0] ? [index] : []));
      const count = fields[at]?.[1] ?? '';
      if (count === '0') return [];
      if (count !== String(starts.length)) {
        throw new FieldError(`${name} is ${count}, but there are ${starts.length} entries`);
      }
      return starts.map((start, index) => readerOf(rest.slice(start, starts[index + 1])));
    },
  };
}

/** @throws FieldError when it is absent */
export function required(fields: Fields, name: FieldName): string {
  const text = fields.text(name);
  if (text === undefined) throw new FieldError(`${name} is missing`);
  return text;
}

const TIMESTAMP = /^(\d{4})(\d\d)(\d\d)-(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?$/;

/** A UTCTimestamp (`20260304-14:30:00.123`) as epoch milliseconds; finer digits are cut off. Undefined when it is none. */
export function instantOf(text: string | undefined): number | undefined {
  const match = text === undefined ? null : TIMESTAMP.exec(text);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number.parseInt(part, 10));
  // Of a month that has no such day `Date.UTC` would make one of the next.
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (month < 1 || month > 12 || day < 1 || day > lastDay || hour > 23 || minute > 59 || second > 60)
    return undefined;
  const millis = Number.parseInt((match[7] ?? '0').padEnd(3, '0').slice(0, 3), 10);
  return Date.UTC(year, month - 1, day, hour, minute, second, millis);
}
