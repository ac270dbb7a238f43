import type { MsgView } from './library.ts';

/** A message, or one entry of a repeating group, as texts. The library's typed values are floats, so nobody asks for them. */
export interface Fields {
  /** The field by its name in the FIX 4.4 dictionary; undefined when it is absent or empty. */
  text(name: string): string | undefined;
  /** The entries of a repeating group by the name of its counter, such as `NoMDEntries`. */
  rows(name: string): readonly Fields[];
}

/** A message that lacks what it must have, or has it in a wrong form. */
export class FieldError extends Error {
  override readonly name = 'FieldError';
}

export function fieldsOf(view: MsgView): Fields {
  return {
    text: (name) => view.getString(name) || undefined,
    rows(name) {
      const group = view.getView(name);
      if (group === null) return [];
      return Array.from({ length: group.groupCount() }, (_, index) => {
        const row = group.getGroupInstance(index);
        if (row === null) throw new FieldError(`${name} has fewer entries than it says`);
        return fieldsOf(row);
      });
    },
  };
}

/** @throws FieldError when it is absent */
export function required(fields: Fields, name: string): string {
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
  if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || minute > 59 || second > 60)
    return undefined;
  const millis = Number.parseInt((match[7] ?? '0').padEnd(3, '0').slice(0, 3), 10);
  return Date.UTC(year, month - 1, day, hour, minute, second, millis);
}
