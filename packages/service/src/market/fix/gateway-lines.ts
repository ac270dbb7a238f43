import type { Readable } from 'node:stream';
import { type GatewayLine, LINE_LENGTH_MAX } from './protocol.ts';

const TYPES: ReadonlySet<unknown> = new Set<GatewayLine['type']>([
  'ready',
  'status',
  'tick',
  'gone',
  'quote',
  'quoteRefused',
  'execution',
  'orderRefused',
]);

/** Hands on each line; `onError` gets the first one that is no line of the gateway, and no more follow. */
export function readGatewayLines(
  stream: Readable,
  onLine: (line: GatewayLine) => void,
  onError: (reason: string) => void,
): void {
  let rest = '';
  const take = (chunk: string): void => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) {
      const line = parse(text);
      if (line === undefined) {
        stop('the gateway wrote an invalid line');
        return;
      }
      onLine(line);
    }
    if (rest.length > LINE_LENGTH_MAX) stop('the gateway wrote a line without end');
  };
  const stop = (reason: string): void => {
    stream.removeListener('data', take);
    stream.resume();
    onError(reason);
  };
  stream.setEncoding('utf8').on('data', take);
}

function parse(text: string): GatewayLine | undefined {
  try {
    const line: unknown = JSON.parse(text);
    const isLine = typeof line === 'object' && line !== null && 'type' in line && TYPES.has(line.type);
    // The gateway is of the same version: it is started from the same folder.
    return isLine ? (line as GatewayLine) : undefined;
  } catch {
    return undefined;
  }
}
