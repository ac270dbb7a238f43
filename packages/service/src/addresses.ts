import type { Config } from './config.ts';

const SANDBOX_AUDIENCE = 'urn:firmquote:sandbox';

/** Public addresses. With port 0 they are known for sure only once the server listens. */
export class Addresses {
  readonly #config: Config;
  #listening: string | undefined;
  #inside: string | undefined;

  constructor(config: Config) {
    this.#config = config;
  }

  listening(port: number): void {
    this.#listening = addressOf(this.#config.host, port);
  }

  /** @param address where operators are served, when that is apart */
  listeningInside(address: string | undefined): void {
    this.#inside = address;
  }

  /** On this machine, whatever the public addresses are. */
  readonly local = (): string => this.#listening ?? addressOf(this.#config.host, this.#config.port);

  readonly base = (): string => this.#config.baseUrl ?? this.local();

  readonly auth = (): string => this.#config.authUrl ?? this.base();

  /** Where operators' browsers reach the service. */
  readonly operators = (): string => this.#config.operatorUrl ?? this.#config.baseUrl ?? this.inside();

  /** Where operators are served on this machine. */
  readonly inside = (): string => this.#inside ?? this.local();

  /** Origins whose pages are this service's own. On one machine a sandbox has several names. */
  readonly browserOrigins = (): readonly string[] => {
    const own = new URL(this.operators());
    const { mode, operatorUrl, baseUrl } = this.#config;
    if (mode !== 'sandbox' || operatorUrl !== undefined || baseUrl !== undefined) return [own.origin];
    return ['localhost', '127.0.0.1', '[::1]'].map((host) => `http://${host}:${own.port}`);
  };

  /** Where passkeys are good; nothing at an address without a name, or where browsers do not think it safe. */
  readonly passkeys = (): { readonly rpId: string; readonly origins: readonly string[] } | undefined => {
    const named = this.browserOrigins()
      .map((origin) => new URL(origin))
      .filter(takesPasskeys);
    const [first] = named;
    return first && { rpId: first.hostname, origins: named.map(({ origin }) => origin) };
  };

  readonly audience = (): string => this.#config.audience ?? this.#ownAudience();

  /** A sandbox without a public address moves from port to port, and its clients should not have to follow. */
  #ownAudience(): string {
    const { mode, baseUrl } = this.#config;
    return mode === 'sandbox' && baseUrl === undefined ? SANDBOX_AUDIENCE : this.base();
  }

  readonly operatorAudience = (): string =>
    this.#config.operatorAudience ??
    (this.#config.mode === 'sandbox' ? this.audience() : `${this.audience()}/operator`);
}

function takesPasskeys({ protocol, hostname }: URL): boolean {
  const isName = !hostname.startsWith('[') && !/^[\d.]+$/.test(hostname);
  return isName && (protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost'));
}

export function addressOf(host: string, port: number): string {
  if (host === '0.0.0.0' || host === '::') return `http://127.0.0.1:${port}`;
  return host.includes(':') ? `http://[${host}]:${port}` : `http://${host}:${port}`;
}
