import { once } from 'node:events';
import { connect } from 'node:net';
import type { Answer } from './service.ts';

/**
 * Sends bytes that no HTTP client would send and reads the answer until the service closes the connection, as it is
 * asked to by `Connection: close` or does by itself.
 */
export async function exchange(baseUrl: string, bytes: string | Buffer): Promise<Answer> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ host: hostname, port: Number.parseInt(port, 10) });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  // The service may close while a body is still on its way: what it has answered counts.
  socket.on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  return parse(Buffer.concat(chunks).toString());
}

function parse(message: string): Answer {
  const end = message.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = message.slice(0, end).split('\r\n');
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  const text = message.slice(end + 4);
  const isJson = headers.get('Content-Type')?.includes('json') ?? false;
  return {
    status: Number.parseInt(statusLine.split(' ')[1] ?? '', 10),
    headers,
    text,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  };
}

/**
 * Hand-made requests to one service with one token. Both are asked for with each request, because a file knows them
 * only once its service has started.
 */
export function rawCaller(baseUrl: () => string, token: () => string) {
  const head = (line: string, ...headers: string[]) =>
    [
      `${line} HTTP/1.1`,
      'Host: localhost',
      'Connection: close',
      `Authorization: Bearer ${token()}`,
      ...headers,
      '',
      '',
    ].join('\r\n');
  return {
    /** Sends bytes as they are and answers what came back. */
    raw: (text: string | Buffer) => exchange(baseUrl(), text),
    head,
    /** A request for a quote with this body. */
    postOf: (body: Buffer | string, ...headers: string[]) =>
      Buffer.concat([
        Buffer.from(
          head(
            'POST /v1/customer/quotes',
            'Content-Type: application/json',
            `Content-Length: ${Buffer.byteLength(body)}`,
            ...headers,
          ),
        ),
        Buffer.from(body),
      ]),
  };
}
