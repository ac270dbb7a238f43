import { randomFillSync } from 'node:crypto';

/**
 * Identifiers. Outside they are TypeIDs (prefix, underscore, UUIDv7 in Crockford base32, 26 characters;
 * github.com/jetify-com/typeid, spec 0.3); inside and in the database they are plain UUIDs.
 * Written here rather than taken from a package because ids are made and printed several times for every
 * quote, and the reference package brings its own random source, which cannot follow the injected clock.
 */
export type IdPrefix =
  | 'quote'
  | 'txn'
  | 'dep'
  | 'dpr'
  | 'rps'
  | 'evt'
  | 'cus'
  | 'ssi'
  | 'spr'
  | 'cli'
  | 'key'
  | 'je'
  | 'req'
  | 'hlt'
  | 'rep'
  | 'hold'
  | 'run'
  | 'stf'
  | 'stm'
  | 'ste'
  | 'apr'
  | 'exc'
  | 'vac'
  | 'rem'
  | 'sbf'
  | 'wdr'
  | 'cim'
  | 'per'
  | 'ses'
  | 'pky'
  | 'whk';

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const DECODE = new Int8Array(128).fill(-1);
const CODES = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));
for (const [value, code] of CODES.entries()) DECODE[code] = value;

const DIGITS = new Uint8Array(128);
for (const digits of ['0123456789abcdef', '0123456789ABCDEF'])
  for (const [value, digit] of [...digits].entries()) DIGITS[digit.charCodeAt(0)] = value;

const HEX = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));
const HEX3 = Array.from({ length: 4096 }, (_, i) => i.toString(16).padStart(3, '0'));
const COUNTER_MASK = 0x3ff_ffff;
let counter = 0;
const ALPHABET_VARIANT = ['8', '9', 'a', 'b'];
const POOL_BYTES = 4096;
const pool = Buffer.alloc(POOL_BYTES);
let poolAt = POOL_BYTES;

function takeRandom(bytes: number): number {
  if (poolAt + bytes > POOL_BYTES) {
    randomFillSync(pool);
    poolAt = 0;
  }
  const at = poolAt;
  poolAt += bytes;
  return at;
}

/** Before every id that this service makes, and none of them. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * A UUIDv7 (RFC 9562) whose time field is the given business instant, so that ids sort as their `createdAt`.
 * Ids that one process makes in the same millisecond count up from a random start (RFC 9562, section 6.2,
 * method 1), so that lists are in the order of making there too; 48 random bits follow the 26 of the count.
 */
export function newUuid(instant: number): string {
  const time = countedTime(instant);
  const at = takeRandom(6);
  const count = counter++ & COUNTER_MASK;
  const high = HEX3[count >>> 14] as string;
  const variant = ALPHABET_VARIANT[(count >>> 12) & 3] as string;
  const low = HEX3[count & 0xfff] as string;
  return `${time.slice(0, 8)}-${time.slice(8)}-7${high}-${variant}${low}-${pool.toString('hex', at, at + 6)}`;
}

let lastInstant = Number.NaN;
let lastTime = '';

/** The first twelve hex digits of a UUIDv7. */
export function timeHex(instant: number): string {
  return instant.toString(16).padStart(12, '0');
}

/** The instant that a UUIDv7 carries, epoch milliseconds. */
export function instantOf(uuid: string): number {
  return Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16);
}

/** As {@link timeHex}. Ids of one millisecond share it; the first of them draws the count's start. */
function countedTime(instant: number): string {
  if (instant !== lastInstant) {
    lastInstant = instant;
    // Half of the range at most, so that the count does not run over: 2^25 ids in a millisecond and more.
    counter = pool.readUInt32LE(takeRandom(4)) & (COUNTER_MASK >>> 1);
    lastTime = timeHex(instant);
  }
  return lastTime;
}

/** The smallest UUIDv7 of an instant: a bound for "created at or after" over ids. They count from 1970, and nothing is older. */
export function uuidFloor(instant: number): string {
  const time = timeHex(Math.max(0, instant));
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/**
 * First 22 hex digits of an event's UUIDv7; the database appends the customer's event sequence as the last ten,
 * so that an event id leads back to its place in the feed without an index of its own.
 */
export function eventIdPrefix(instant: number): string {
  return newUuid(instant).replaceAll('-', '').slice(0, 22);
}

/** The sequence inside an event id made with {@link eventIdPrefix}. */
export function eventSequenceOf(uuid: string): bigint {
  return BigInt(`0x${uuid.replaceAll('-', '').slice(22)}`);
}

const REQUEST_ID_START = `req_${encodeBase32(newUuid(Date.now()))}`;
let requestNumber = 0;

/** Unique for the service's life: the process's own random start and a count. Made for every request, hence cheap. */
export function newRequestId(): string {
  requestNumber++;
  return `${REQUEST_ID_START}${requestNumber.toString(36)}`;
}

/** As {@link newUuid}, for a person: of version 8 (RFC 9562 §5.8), so that the id alone tells who acted, a person or a program. */
export function newPersonId(instant: number): string {
  const id = newUuid(instant);
  return `${id.slice(0, 14)}8${id.slice(15)}`;
}

/** Whether the UUID of one who acts is a person's; the others are those of OAuth clients. */
export function isPersonId(uuid: string): boolean {
  return uuid[14] === '8';
}

/** Who acted, as the API writes it: `per_…` or `cli_…`. */
export function actorId(uuid: string): string {
  return typeId(isPersonId(uuid) ? 'per' : 'cli', uuid);
}

/** `quote_01jn…` from a UUID. */
export function typeId(prefix: IdPrefix, uuid: string): string {
  return `${prefix}_${encodeBase32(uuid)}`;
}

/** Stands for an identifier of the wrong form: the largest UUID (RFC 9562 §5.10), which nothing has. */
export const NO_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The UUID of a TypeID that a caller gave; of a text that is none, one that nothing has. */
export function uuidOf(prefix: IdPrefix, text: string): string {
  return parseTypeId(prefix, text) ?? NO_ID;
}

/** The UUID in a TypeID, or undefined when the text is not one with that prefix. */
export function parseTypeId(prefix: IdPrefix, text: string): string | undefined {
  if (text.length !== prefix.length + 27) return undefined;
  if (!text.startsWith(prefix) || text[prefix.length] !== '_') return undefined;
  return decodeBase32(text.slice(prefix.length + 1));
}

/** The UUID in a TypeID of whatever prefix, or undefined when the text is none. */
export function uuidIn(text: string): string | undefined {
  const at = text.indexOf('_');
  return at < 1 || text.length !== at + 27 ? undefined : decodeBase32(text.slice(at + 1));
}

/** Made in one call, in half of the time of a text that grows by each character, which leaves as many texts behind. */
function encodeBase32(uuid: string): string {
  const a = word(uuid, 0, 4);
  const b = word(uuid, 9, 14);
  const c = word(uuid, 19, 24);
  const d = word(uuid, 28, 32);
  // 130 bits in 26 characters: two zero bits lead.
  return String.fromCharCode(
    code(a >>> 29),
    code(a >>> 24),
    code(a >>> 19),
    code(a >>> 14),
    code(a >>> 9),
    code(a >>> 4),
    code((a << 1) | (b >>> 31)),
    code(b >>> 26),
    code(b >>> 21),
    code(b >>> 16),
    code(b >>> 11),
    code(b >>> 6),
    code(b >>> 1),
    code((b << 4) | (c >>> 28)),
    code(c >>> 23),
    code(c >>> 18),
    code(c >>> 13),
    code(c >>> 8),
    code(c >>> 3),
    code((c << 2) | (d >>> 30)),
    code(d >>> 25),
    code(d >>> 20),
    code(d >>> 15),
    code(d >>> 10),
    code(d >>> 5),
    code(d),
  );
}

/** 32 bits out of eight hex digits, four at each of two places. */
function word(uuid: string, high: number, low: number): number {
  return (four(uuid, high) << 16) | four(uuid, low);
}

function four(uuid: string, at: number): number {
  return (
    (digit(uuid, at) << 12) | (digit(uuid, at + 1) << 8) | (digit(uuid, at + 2) << 4) | digit(uuid, at + 3)
  );
}

function digit(uuid: string, at: number): number {
  return DIGITS[uuid.charCodeAt(at)] as number;
}

/** The character of the lowest five bits. */
function code(bits: number): number {
  return CODES[bits & 31] as number;
}

function decodeBase32(text: string): string | undefined {
  let hex = '';
  let buffer = 0;
  let bits = -2;
  for (let i = 0; i < 26; i++) {
    const code = text.charCodeAt(i);
    const value = code < 128 ? (DECODE[code] as number) : -1;
    // The first character carries only three bits of the UUID.
    if (value < 0 || (i === 0 && value > 7)) return undefined;
    buffer = (buffer << 5) | value;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      hex += HEX[(buffer >>> bits) & 255];
      buffer &= (1 << bits) - 1;
    }
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
