import type { Worker } from 'node:cluster';

interface Handover {
  readonly cmd?: unknown;
  readonly act?: unknown;
  readonly seq?: number;
  readonly ack?: number;
}

interface Handle {
  close(): void;
}

/**
 * Gives connections to another process that were handed to one which died before it took them. Node would keep them open for ever:
 * nobody answers the question whether they were accepted. So it is answered here. With a Node that asks in another way this
 * does nothing.
 * @param isLast whether nobody is left to take them
 */
export function takeBackHandedOver(worker: Worker, isLast: () => boolean): void {
  const { process: child } = worker;
  const handed = new Map<number, Handle>();
  const send = child.send.bind(child) as (...all: unknown[]) => boolean;
  child.send = (...all: unknown[]): boolean => {
    const [message, handle] = all as [Handover, Handle | undefined];
    if (message?.cmd === CLUSTER && message.act === 'newconn' && message.seq !== undefined && handle)
      handed.set(message.seq, handle);
    return send(...all);
  };
  child.on('internalMessage', ({ cmd, ack }: Handover) => {
    if (cmd === CLUSTER && ack !== undefined) handed.delete(ack);
  });
  let isDisconnected = false;
  child.once('disconnect', () => {
    isDisconnected = true;
  });
  child.once('close', () => {
    // Node waits for an answer before it says so, and deals out to a dead process until it does.
    if (!isDisconnected) child.emit('disconnect');
    for (const [ack, handle] of handed) {
      if (isLast()) handle.close();
      else child.emit('internalMessage', { cmd: CLUSTER, ack, accepted: false });
    }
  });
}

const CLUSTER = 'NODE_CLUSTER';
