import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { after } from 'node:test';
import type { Io } from '../../src/io.ts';
import { run } from '../../src/run.ts';

/** What a command line came to. */
export interface End {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
  /** stdout is a screen of so many columns. */
  readonly columns?: number;
  readonly cwd?: string;
  /** This machine's clock is wrong by so much, ms. */
  readonly clockMs?: number;
  /** Given who listens for Ctrl-C. */
  readonly onListener?: (listener: () => void) => void;
}

/** A home of its own, with nothing in it, for as long as the file runs. */
export class Home {
  readonly folder = mkdtempSync(join(tmpdir(), 'firmquote-cli-'));

  constructor() {
    after(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  /** Runs a command line in this process. */
  async run(argv: readonly string[], options: RunOptions = {}): Promise<End> {
    const stdout = new Kept(options.columns);
    const stderr = new Kept(undefined);
    const stdin = new PassThrough();
    stdin.end(options.stdin ?? '');
    const io: Io = {
      ...{ stdin, stdout, stderr },
      env: options.env ?? {},
      cwd: options.cwd ?? this.folder,
      home: this.folder,
      platform: process.platform,
      now: () => Date.now() + (options.clockMs ?? 0),
      onInterrupt: (listener) => {
        options.onListener?.(listener);
        return () => undefined;
      },
    };
    const code = await run(argv, io);
    return { code, stdout: stdout.text, stderr: stderr.text };
  }
}

class Kept extends Writable {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  text = '';

  constructor(columns: number | undefined) {
    super({ decodeStrings: false });
    this.isTTY = columns !== undefined;
    this.columns = columns;
  }

  override _write(chunk: string | Uint8Array, _encoding: string, done: () => void): void {
    this.text += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
    done();
  }
}
