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
