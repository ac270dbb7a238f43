import type { FromTab } from './messages.ts';
import { sessionStream } from './source.ts';

/** Holds the one stream for all tabs of this browser, and ends with the last of them. */
const host = sessionStream();

addEventListener('connect', (event) => {
  const port = (event as MessageEvent).ports[0];
  if (port === undefined) return;
  const receive = host.attach((message) => port.postMessage(message));
  port.onmessage = ({ data }: MessageEvent<FromTab>) => receive(data);
});
