import http from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { performance } from 'node:perf_hooks';
import { type AddressGuard, hostOf, portOf } from './address-guard.ts';
import type { Outcome } from './retry-schedule.ts';

/** One attempt: a POST to the checked address, whose answer is judged by its status alone. */

export const ATTEMPT_LIMIT_MS = 15_000; // limit: Time of an attempt, from the name to the answer's head
/** The head has decided; of the body only the beginning is kept, for whoever looks for a fault. */
const BODY_LIMIT_MS = 1_000; // limit: Wait for the beginning of an answer's body
const ANSWER_BYTES_MAX = 1_024; // limit: {bytes} An answer's body that is kept
const HEADER_BYTES_MAX = 16_384; // limit: {bytes} Headers of an answer
const SOCKETS_MAX = 10;

export interface Attempt extends Outcome {
  readonly durationMs: number;
  /** The beginning of the answer's body. */
  readonly answer: string | undefined;
}

interface Message {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends to one endpoint. The name is resolved once and the connections are pinned to the address that was checked, so that a name
 * that changes its address in between changes nothing. Connections are kept until it is closed, at most for one turn.
 */
export class Sender {
  readonly #url: URL;
  readonly #guard: AddressGuard;
  readonly #limitMs: number;
  readonly #agent: http.Agent | https.Agent;
  readonly #abort = new AbortController();
  #address: ReturnType<AddressGuard['addressOf']> | undefined;

  constructor(url: string, guard: AddressGuard, { limitMs = ATTEMPT_LIMIT_MS, ca }: SenderOptions = {}) {
    this.#url = new URL(url);
    this.#guard = guard;
    this.#limitMs = limitMs;
    const options = { keepAlive: true, maxSockets: SOCKETS_MAX };
    this.#agent =
      this.#url.protocol === 'https:'
        ? new https.Agent({ ...options, ...(ca === undefined ? {} : { ca }) })
        : new http.Agent(options);
  }

  /** Never rejects; undefined when it was closed meanwhile. */
  async send(message: Message): Promise<Attempt | undefined> {
    const begun = performance.now();
    const durationMs = () => Math.round(performance.now() - begun);
    try {
      this.#address ??= this.#guard.addressOf(this.#url);
      const found = await this.#address;
      if ('refusal' in found) {
        // A name that could not be found may be there at the next attempt.
        this.#address = undefined;
        return { status: undefined, failure: found.refusal, answer: undefined, durationMs: durationMs() };
      }
      const answer = await this.#post(found.address, message, this.#limitMs - durationMs());
      return { ...answer, durationMs: durationMs() };
    } catch (error) {
      if (this.#abort.signal.aborted) return undefined;
      return { status: undefined, failure: failureOf(error), answer: undefined, durationMs: durationMs() };
    }
  }

  /** Ends what is under way. */
  close(): void {
    this.#abort.abort();
    this.#agent.destroy();
  }

  #post(address: string, { body, headers }: Message, limitMs: number): Promise<Omit<Attempt, 'durationMs'>> {
    const { protocol, pathname, search, host } = this.#url;
    const name = hostOf(this.#url);
    const bytes = Buffer.from(body);
    const { promise, resolve, reject } = Promise.withResolvers<Omit<Attempt, 'durationMs'>>();
    const request = (protocol === 'https:' ? https : http).request({
      method: 'POST',
      host: address,
      port: portOf(this.#url),
      path: `${pathname}${search}`,
      agent: this.#agent,
      maxHeaderSize: HEADER_BYTES_MAX,
      signal: this.#abort.signal,
      ...(protocol === 'https:' && isIP(name) === 0 ? { servername: name } : {}),
      headers: { ...headers, Host: host, 'Content-Length': bytes.length },
    });
    const late = setTimeout(() => request.destroy(new AttemptError('timeout')), Math.max(limitMs, 0));
    request.on('error', reject);
    request.on('upgrade', (response, socket) => {
      socket.destroy();
      resolve({ status: response.statusCode, failure: 'status', answer: undefined });
    });
    request.on('response', (response) => {
      clearTimeout(late);
      void beginningOf(response).then((answer) => {
        const { statusCode: status = 0 } = response;
        resolve({ status, failure: failureOfStatus(status), answer });
      });
    });
    request.end(bytes);
    return promise.finally(() => clearTimeout(late));
  }
}

interface SenderOptions {
  readonly limitMs?: number | undefined;
  /** Whose certificates are believed. Default: those that Node believes. */
  readonly ca?: string | undefined;
}

class AttemptError extends Error {
  readonly failure: string;

  constructor(failure: string) {
    super(failure);
    this.failure = failure;
  }
}

/** Reads as much as is kept, for as long as it is waited for; what is longer or later costs its sender the connection. */
function beginningOf(response: http.IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(late);
      if (!response.complete) response.destroy();
      const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX));
      // The database holds no NUL.
      resolve(text === '' ? undefined : text.replaceAll('\0', '\ufffd'));
    };
    const late = setTimeout(end, BODY_LIMIT_MS);
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > ANSWER_BYTES_MAX) end();
    });
    response.once('end', end);
    response.once('close', end);
    response.on('error', end);
  });
}

function failureOfStatus(status: number): string | undefined {
  if (status >= 200 && status <= 299) return undefined;
  return status >= 300 && status <= 399 ? 'redirect' : 'status';
}

const TLS_ERROR =
  /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_CA)/;

function failureOf(error: unknown): string {
  if (error instanceof AttemptError) return error.failure;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (TLS_ERROR.test(code)) return 'tls_failed';
  return code.startsWith('HPE_') ? 'answer_invalid' : 'connection_failed';
}
