import type { Readable, Writable } from 'node:stream';

/** A stream to read from, which may be somebody's keyboard. */
export type Input = Readable & { readonly isTTY?: boolean; setRawMode?(on: boolean): unknown };
/** A stream to write to, which may be somebody's screen. */
export type Output = Writable & { readonly isTTY?: boolean; readonly columns?: number | undefined };

/** All that the command knows of the world; tests hand in their own. */
export interface Io {
  readonly stdin: Input;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly platform: string;
  /** Epoch milliseconds of this machine. */
  now(): number;
  /** Calls back for each Ctrl-C, until the answered function is called. While somebody listens, the command goes on. */
  onInterrupt(listener: () => void): () => void;
}

/** Somebody can be asked: questions go to stderr, answers come from stdin. */
export function canAsk(io: Io): boolean {
  return io.stdin.isTTY === true && io.stderr.isTTY === true;
}

/** Whether colours are wanted on a stream: `NO_COLOR` and `CLICOLOR_FORCE` before what the stream is. */
export function hasColor(io: Io, stream: Output, flag: boolean): boolean {
  if (!flag || (io.env.NO_COLOR ?? '') !== '') return false;
  if ((io.env.CLICOLOR_FORCE ?? '0') !== '0') return true;
  return stream.isTTY === true && io.env.TERM !== 'dumb';
}

/** Writes, and waits while the reader is slower. Resolves too when the reader has gone; see `bin.ts`. */
export function write(stream: Output, text: string | Uint8Array): Promise<void> {
  return new Promise((done) => {
    if (stream.destroyed || !stream.writable) return done();
    if (stream.write(text)) return done();
    const go = () => {
      stream.removeListener('drain', go);
      stream.removeListener('close', go);
      stream.removeListener('error', go);
      done();
    };
    stream.on('drain', go).on('close', go).on('error', go);
  });
}
