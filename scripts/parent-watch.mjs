// Loaded by run.mjs ahead of the program: ends it, as SIGTERM does, when run.mjs is gone.
import { Socket } from 'node:net';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

const descriptor = process.env.FIRMQUOTE_PARENT_PIPE;
if (isMainThread && descriptor !== undefined) {
  // Children of the program do not have the pipe.
  delete process.env.FIRMQUOTE_PARENT_PIPE;
  const pipe = new Socket({ fd: Number.parseInt(descriptor, 10), readable: true, writable: false });
  pipe.on('error', () => {});
  pipe.on('close', () => process.kill(process.pid, 'SIGTERM'));
  pipe.resume();
  pipe.unref();
}
