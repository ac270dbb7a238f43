import { Resolver } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

/** Where webhooks may not go: whoever names an endpoint would otherwise reach what stands beside the service (SSRF). */

/** All of IPv4 that is not the public internet (IANA special-purpose registry), the metadata services of clouds among it. */
const CLOSED_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** Of IPv6 only what is given out as global unicast is open, without what leads back to IPv4 or is for documents. */
const OPEN_IPV6 = '2000::/3';
const CLOSED_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

const DNS_LIMIT_MS = 3_000; // limit: Wait for an answer of the name servers, for the address of an endpoint
const ADDRESSES_MAX = 64; // limit: Addresses of an endpoint's name that are looked at; with more it is refused

export interface GuardOptions {
  /** In the sandbox. */
  readonly allowsLoopback: boolean;
  /** Ranges that are open although they are private. */
  readonly networks: readonly string[];
  /** Undefined: all. */
  readonly ports: readonly number[] | undefined;
  /** Plain HTTP. */
  readonly allowsHttp: boolean;
  /** Addresses of a name. Default: by the name servers. */
  readonly resolve?: (name: string) => Promise<readonly string[]>;
}

export type Refusal = 'name_not_found' | 'address_not_allowed';

export class AddressGuard {
  readonly #options: GuardOptions;
  readonly #closed = listOf([...CLOSED_IPV4, ...CLOSED_IPV6]);
  readonly #global = listOf([OPEN_IPV6]);
  readonly #open: BlockList;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#open = listOf([...(options.allowsLoopback ? LOOPBACK : []), ...options.networks]);
  }

  /** What is wrong with the address of an endpoint before anybody is asked for its name; undefined: nothing. */
  wrongWith(text: string): string | undefined {
    const { allowsHttp, ports } = this.#options;
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || !/^https?:$/.test(url.protocol)) return 'must be an https address';
    if (url.protocol === 'http:' && !allowsHttp) return 'must be an https address';
    if (url.username !== '' || url.password !== '' || url.hash !== '')
      return 'must not have a user, password or fragment';
    if (ports !== undefined && !ports.includes(portOf(url)))
      return `must have one of these ports: ${ports.join(', ')}`;
    const host = hostOf(url);
    if (isIP(host) !== 0 && !this.allows(host)) return 'must be an address on the public internet';
    return undefined;
  }

  allows(address: string): boolean {
    const version = isIP(address);
    if (version === 0) return false;
    const family = version === 6 ? 'ipv6' : 'ipv4';
    if (this.#open.check(address, family)) return true;
    if (this.#closed.check(address, family)) return false;
    return version === 4 || this.#global.check(address, family);
  }

  /**
   * The one address to connect to. Each that the name has must be open: which of them is used is nobody's to choose. The settings may be
   * narrower than when the endpoint was set.
   */
  async addressOf(url: URL): Promise<{ readonly address: string } | { readonly refusal: Refusal }> {
    if (this.wrongWith(url.href) !== undefined) return { refusal: 'address_not_allowed' };
    const host = hostOf(url);
    const found = isIP(host) !== 0 ? [host] : await this.#resolve(host);
    const [address] = found;
    if (address === undefined) return { refusal: 'name_not_found' };
    if (found.length > ADDRESSES_MAX || !found.every((each) => this.allows(each)))
      return { refusal: 'address_not_allowed' };
    return { address };
  }

  async #resolve(host: string): Promise<readonly string[]> {
    // It is never asked for at a name server (RFC 6761).
    if (host === 'localhost' || host.endsWith('.localhost')) return ['127.0.0.1'];
    return (this.#options.resolve ?? resolveByServers)(host);
  }
}

/**
 * Asks the name servers without the threads that `dns.lookup` would hold for as long as a server keeps silent. The file of hosts
 * is not looked at.
 */
async function resolveByServers(name: string): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: DNS_LIMIT_MS, tries: 1 });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const whole = family === 'ipv6' ? 128 : 32;
    list.addSubnet(address, bits === undefined ? whole : Number.parseInt(bits, 10), family);
  }
  return list;
}

/** As a socket takes it: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

export function portOf(url: URL): number {
  if (url.port !== '') return Number.parseInt(url.port, 10);
  return url.protocol === 'https:' ? 443 : 80;
}
