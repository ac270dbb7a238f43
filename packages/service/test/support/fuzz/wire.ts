import { Agent, request as httpRequest } from 'node:http';
import type { Answer } from '../service.ts';

/** A request as it goes out. */
export interface Sent {
  readonly method: string;
  /** Path with query, as it is written on the wire. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

const ANSWER_LIMIT_MS = 90_000; // limit: Time for an answer, after which the service is taken to hang
/** A stream has begun when this long nothing more has come. */
const STREAM_MS = 60;

/** Sends requests with the bytes that they have, over some connections that are kept. */
export class Wire {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 12 });
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  /** @throws Error where there is no answer */
  send({ method, path, headers, body }: Sent): Promise<Answer> {
    const { hostname, port } = new URL(this.#baseUrl);
    return new Promise((resolve, reject) => {
      const sent = httpRequest(
        {
          hostname,
          port,
          method,
          path,
          headers: { ...headers, ...(body !== undefined && { 'Content-Length': body.length }) },
          agent: headers.Upgrade === undefined ? this.#agent : false,
        },
        (response) => {
          const chunks: Buffer[] = [];
          const type = response.headers['content-type'] ?? '';
          const end = () => {
            clearTimeout(limit);
            const text = Buffer.concat(chunks).toString();
            const isJson = /[/+]json/.test(type) && text !== '';
            const given = Object.entries(response.headers).map(
              ([name, value]) => [name, String(value)] as [string, string],
            );
            try {
              resolve({
                status: response.statusCode ?? 0,
                headers: new Headers(given),
                text,
                body: isJson ? JSON.parse(text) : undefined,
              });
            } catch (error) {
              reject(error);
            }
          };
          response.on('data', (chunk) => chunks.push(chunk));
          response.on('end', end);
          response.on('error', reject);
          if (type.startsWith('text/event-stream')) {
            setTimeout(() => {
              end();
              response.destroy();
            }, STREAM_MS);
          }
        },
      );
      const limit = setTimeout(
        () => sent.destroy(new Error(`no answer within ${ANSWER_LIMIT_MS} ms`)),
        ANSWER_LIMIT_MS,
      );
      sent.on('upgrade', (response, socket) => {
        clearTimeout(limit);
        socket.destroy();
        resolve({ status: response.statusCode ?? 0, headers: new Headers(), text: '', body: undefined });
      });
      sent.on('error', (error) => {
        clearTimeout(limit);
        reject(error);
      });
      sent.end(body);
    });
  }

  end(): void {
    this.#agent.destroy();
  }
}
