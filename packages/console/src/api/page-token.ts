/** What a session says of itself, as far as requests need it. */
export interface TokenOfSession {
  readonly personId: string;
  readonly csrfToken: string;
}

interface Options {
  readonly fetch: typeof fetch;
  /** The session of the cookie, as it is now. */
  readonly readSession: () => Promise<TokenOfSession>;
  /** Somebody else has signed in since this page was read. */
  readonly onOtherPerson: () => void;
}

/**
 * Requests with the token of the session, by which what changes something says that it comes from a page of this service. A sign-in in
 * another tab gives the cookie another session: what is refused for that alone is sent once more with the token of the new one, if that is of the
 * same person. A request that was refused has done nothing.
 */
export class PageToken {
  readonly #options: Options;
  #known: TokenOfSession | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Takes in a session that was read. */
  take(session: TokenOfSession): void {
    this.#known = session;
  }

  async fetch(input: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> {
    const token = init.method === 'GET' ? undefined : this.#known?.csrfToken;
    if (token === undefined) return this.#options.fetch(input, init);
    const answer = await this.#send(input, init, token);
    if (!(await isOfAnotherPage(answer))) return answer;
    const renewed = await this.#renewed();
    return renewed === undefined || renewed === token ? answer : this.#send(input, init, renewed);
  }

  #send(input: Parameters<typeof fetch>[0], init: RequestInit, token: string): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('x-csrf-token', token);
    return this.#options.fetch(input, { ...init, headers });
  }

  async #renewed(): Promise<string | undefined> {
    const before = this.#known;
    const now = await this.#options.readSession().catch(() => undefined);
    if (now === undefined) return undefined;
    if (now.personId !== before?.personId) {
      this.#options.onOtherPerson();
      return undefined;
    }
    this.#known = now;
    return now.csrfToken;
  }
}

async function isOfAnotherPage(answer: Response): Promise<boolean> {
  if (answer.status !== 403) return false;
  const body = (await answer
    .clone()
    .json()
    .catch(() => undefined)) as { readonly code?: unknown } | undefined;
  return body?.code === 'cross_site_request';
}
