import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { SendQueues } from './send-queues.ts';

const skip = process.platform === 'linux' ? false : 'only Linux tells what waits in its queues';

/** Two ends of a connection over the loopback device. */
async function pairOf(t: TestContext, host: string): Promise<{ ours: Socket; theirs: Socket }> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const theirs = connect((server.address() as AddressInfo).port, host);
  const [ours] = (await once(server, 'connection')) as [Socket];
  t.after(() => {
    ours.destroy();
    theirs.destroy();
    server.close();
  });
  theirs.on('error', () => undefined);
  return { ours, theirs };
}

const turn = () => new Promise((resolve) => setTimeout(resolve, 2));

for (const host of ['127.0.0.1', '::1']) {
  test(`bytes that the other side does not take are stuck from the second look on: ${host}`, {
    skip,
  }, async (t) => {
    const { ours, theirs } = await pairOf(t, host);
    theirs.pause();
    const queues = new SendQueues();
    const reader = { transport: { socket: ours }, stuckBytes: 0 };
    queues.watch(reader);
    await turn();
    const piece = Buffer.alloc(64 * 1024);
    for (let round = 0; round < 200 && reader.stuckBytes === 0; round++) {
      ours.write(piece);
      await turn();
      await queues.look();
    }
    assert.ok(reader.stuckBytes > 0);
    theirs.resume();
    for (let round = 0; round < 500 && reader.stuckBytes > 0; round++) {
      await turn();
      await queues.look();
    }
    assert.equal(reader.stuckBytes, 0, 'it was read');
    queues.forget(reader);
  });
}

test('what was written since the last look is not stuck, and neither is what nobody can tell', async () => {
  const socket = { bytesWritten: 1_000, writableLength: 0, _handle: { fd: 0 } } as unknown as Socket;
  let queued = 300;
  const queues = new SendQueues(async () => new Map([['7', queued]]));
  const reader = { transport: { socket }, stuckBytes: 0 };
  queues.watch(reader);
  await queues.look();
  assert.equal(reader.stuckBytes, 0, 'its number is not known');
  const broken = new SendQueues(() => Promise.reject(new Error('no such table')));
  broken.watch(reader);
  await broken.look();
  assert.equal(reader.stuckBytes, 0);
  queued = 0;
  queues.watch({ transport: {}, stuckBytes: 0 });
  await queues.look();
  assert.equal(reader.stuckBytes, 0);
});
