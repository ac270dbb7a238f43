import { rmSync } from 'node:fs';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredToken, TokenStore } from '@firmquote/client';
import type { Io } from '../io.ts';
import { placesOf } from './places.ts';
import { readPrivateJson, writePrivateJson } from './private-files.ts';

/** limit: How old a lock on the tokens is when its owner is taken to be dead, ms. */
const LOCK_STALE_MS = 20_000;
const LOCK_POLL_MS = 25;

/** Tokens that are still good, so that a command does not ask for one of its own each time. */
export class TokenFile implements TokenStore {
  /** What was read or written last. */
  last: StoredToken | undefined;
  readonly #path: string;
  readonly #io: Io;
  readonly #fingerprint: string;

  /** @param fingerprint of the credentials that the tokens are got with */
  constructor(io: Io, fingerprint = '') {
    this.#io = io;
    this.#fingerprint = fingerprint;
    this.#path = placesOf(io).tokens;
  }

  async get(key: string): Promise<StoredToken | null> {
    const token = (await this.#read())[`${key} ${this.#fingerprint}`];
    if (token === undefined) return null;
    this.last = token;
    return token;
  }

  async set(key: string, token: StoredToken): Promise<void> {
    this.last = token;
    const now = this.#io.now();
    const kept = Object.entries(await this.#read()).filter(([, { expiresAt }]) => expiresAt > now);
    await writePrivateJson(this.#path, {
      ...Object.fromEntries(kept),
      [`${key} ${this.#fingerprint}`]: token,
    });
  }

  /** Forgets the tokens of a client; of all where none is named. */
  async forget(clientId?: string): Promise<void> {
    if (clientId === undefined) return rm(this.#path, { force: true });
    const kept = Object.entries(await this.#read()).filter(([key]) => !key.split(' ').includes(clientId));
    await writePrivateJson(this.#path, Object.fromEntries(kept));
  }

  /** One process at a time asks for a token. A lock that nobody holds any more is broken. */
  async lock<T>(_key: string, work: () => Promise<T>): Promise<T> {
    // Where nothing can be kept, nothing is shared.
    if (this.#path === '') return work();
    const path = `${this.#path}.lock`;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    for (;;) {
      try {
        await (await open(path, 'wx', 0o600)).close();
        break;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        const age = await stat(path).then(
          ({ mtimeMs }) => this.#io.now() - mtimeMs,
          () => 0,
        );
        // One from the future is of a clock that was set back since.
        if (Math.abs(age) > LOCK_STALE_MS) await rm(path, { force: true });
        else await sleep(LOCK_POLL_MS);
      }
    }
    // Ctrl-C ends the process in the midst of it: the next command would wait until the lock is old.
    const leave = () => rmSync(path, { force: true });
    process.once('exit', leave);
    try {
      return await work();
    } finally {
      process.removeListener('exit', leave);
      await rm(path, { force: true });
    }
  }

  /** What cannot be read is as good as empty: a token can be asked for again. */
  async #read(): Promise<Record<string, StoredToken>> {
    try {
      const found = (await readPrivateJson(this.#path, this.#io.platform)) ?? {};
      return Object.fromEntries(Object.entries(found).filter(([, token]) => isToken(token))) as Record<
        string,
        StoredToken
      >;
    } catch {
      return {};
    }
  }
}

function isToken(value: unknown): boolean {
  const { accessToken, expiresAt, lifetimeMs } = Object(value) as Partial<StoredToken>;
  return typeof accessToken === 'string' && typeof expiresAt === 'number' && typeof lifetimeMs === 'number';
}
