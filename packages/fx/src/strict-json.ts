/** Deeper than any document of this service; what walks over a value may do so by calling itself. */
export const JSON_DEPTH_MAX = 32; // limit: Levels of a JSON body

/** Two members have one name, so the text does not say one thing. */
export class AmbiguousJson extends Error {
  override readonly name = 'AmbiguousJson';
}

/** Nested more than `JSON_DEPTH_MAX` levels deep. */
export class DeepJson extends Error {
  override readonly name = 'DeepJson';
}

const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/**
 * Holds a text against what was parsed of it. `JSON.parse` keeps the last of two members with one name (RFC 8259 §4 leaves
 * it open which), so that two readers of one request may see two amounts. A member that was given twice leaves more
 * colons in the text than there are members in the value.
 * @param parse made of the text what is held against it; runs only on a text that is not nested too deeply
 * @throws AmbiguousJson, DeepJson, and whatever `parse` throws
 */
export function parseStrictly<T>(text: string, parse: (text: string) => T): T {
  const members = countColons(text);
  const value = parse(text);
  if (countMembers(value) !== members) throw new AmbiguousJson('a member is given twice');
  return value;
}

/** Colons outside of strings. @throws DeepJson */
function countColons(text: string): number {
  let colons = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case COLON:
        colons += 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        if (depth > JSON_DEPTH_MAX) throw new DeepJson(`nested more than ${JSON_DEPTH_MAX} levels deep`);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
    }
  }
  return colons;
}

/** Place of the quotation mark that ends the string which begins at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const isList = Array.isArray(value);
  const members: unknown[] = isList ? value : Object.values(value);
  let count = isList ? 0 : members.length;
  for (const member of members) count += countMembers(member);
  return count;
}
