import type { FromTab, ToTab } from './messages.ts';

/** The way of a tab to the one stream of its browser. */
export interface Line {
  readonly send: (message: FromTab) => void;
  readonly close: () => void;
}

type Hear = (message: ToTab) => void;
const NAME = 'firmquote.prices';

/**
 * Over a worker that all tabs share, where the browser has such; else one tab reads for all: who holds the lock. Without locks, as
 * on a plain http address, each tab reads for itself.
 */
export function openLine(hear: Hear): Line {
  const address = document.querySelector<HTMLMetaElement>('meta[name="price-worker"]')?.content;
  if (typeof SharedWorker === 'function' && address !== undefined) {
    const { port } = new SharedWorker(address, { name: NAME, type: 'module' });
    port.onmessage = ({ data }: MessageEvent<ToTab>) => hear(data);
    return { send: (message) => port.postMessage(message), close: () => port.close() };
  }
  const isAlone = navigator.locks === undefined || typeof BroadcastChannel !== 'function';
  return isAlone ? ownLine(hear) : ledLine(hear);
}

async function openHost() {
  const { sessionStream } = await import('./source.ts');
  return sessionStream();
}

function ownLine(hear: Hear): Line {
  const receive = openHost().then((host) => host.attach(hear));
  const send = (message: FromTab) => void receive.then((take) => take(message));
  return { send, close: () => undefined };
}

/** A message to all tabs, or from one of them to the one that leads. */
type Said =
  | { readonly to: 'tabs'; readonly message: ToTab }
  | { readonly to: 'lead'; readonly message: FromTab };

/**
 * Tabs of one browser hear each other over a channel. The one that holds the lock reads; when it closes, the next one gets the lock,
 * and asks all for a hello.
 */
function ledLine(hear: Hear): Line {
  const channel = new BroadcastChannel(NAME);
  const end = new AbortController();
  let hello: FromTab | undefined;
  let lead: ((message: FromTab) => void) | undefined;
  const say = (said: Said) => channel.postMessage(said);
  channel.onmessage = ({ data }: MessageEvent<Said | { readonly to: 'all' }>) => {
    if (data.to === 'tabs') hear(data.message);
    else if (data.to === 'lead') lead?.(shared(data.message));
    else if (hello !== undefined) say({ to: 'lead', message: hello });
  };
  const leading = async () => {
    const host = await openHost();
    lead = host.attach((message) => {
      hear(message);
      say({ to: 'tabs', message });
    });
    if (hello !== undefined) lead(hello);
    channel.postMessage({ to: 'all' });
    await new Promise<void>((resolve) => end.signal.addEventListener('abort', () => resolve()));
    lead({ is: 'bye' });
  };
  navigator.locks.request(NAME, { signal: end.signal }, leading).catch(() => undefined);
  return {
    send: (message) => {
      if (message.is === 'hello') hello = message;
      if (lead === undefined) say({ to: 'lead', message });
      else lead(shared(message));
    },
    close: () => {
      end.abort();
      channel.close();
    },
  };
}

/** All tabs hear the same: that one of them is not seen, or has gone, takes nothing from the others. */
function shared(message: FromTab): FromTab {
  return message.is === 'seen' || message.is === 'bye' ? { is: 'seen', isSeen: true } : message;
}
