import { BlockList, isIP, isIPv6 } from 'node:net';

interface Range {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** An address or a CIDR range, IPv4 or IPv6; undefined when the text is neither. */
export function parseRange(text: string): Range | undefined {
  const match = /^([0-9a-fA-F.:]{2,45})(?:\/(\d{1,3}))?$/.exec(text);
  const address = match?.[1];
  const version = address === undefined ? 0 : isIP(address);
  if (address === undefined || version === 0) return undefined;
  const bits = version === 6 ? 128 : 32;
  const prefix = match?.[2] === undefined ? bits : Number.parseInt(match[2], 10);
  if (prefix > bits) return undefined;
  return { address, prefix, family: version === 6 ? 'ipv6' : 'ipv4' };
}

/** The addresses that a client may come from. */
export class IpAllowList {
  readonly #ranges = new BlockList();
  readonly #empty: boolean;
  readonly #entries: ReadonlySet<string>;

  /** @param entries addresses and ranges that {@link parseRange} takes; none: every address is allowed */
  constructor(entries: readonly string[]) {
    this.#empty = entries.length === 0;
    this.#entries = new Set(entries);
    for (const entry of entries) {
      const range = parseRange(entry);
      if (range === undefined) throw new Error(`Not an address or range: ${entry}`);
      this.#ranges.addSubnet(range.address, range.prefix, range.family);
    }
  }

  /** Whether everywhere that an entry names is allowed. */
  holds(entry: string): boolean {
    const range = parseRange(entry);
    if (this.#empty || range === undefined) return this.#empty;
    const bits = range.family === 'ipv6' ? 128 : 32;
    // A range is held as it is written or not at all: nobody has to work out what several come to.
    return this.#entries.has(entry) || (range.prefix === bits && this.allows(range.address));
  }

  allows(address: string): boolean {
    if (this.#empty) return true;
    // A dual-stack socket reports IPv4 peers in the mapped form, ::ffff:203.0.113.7; the list has them as IPv4.
    const plain = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
    if (isIP(plain) === 0) return false;
    return this.#ranges.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  }
}
