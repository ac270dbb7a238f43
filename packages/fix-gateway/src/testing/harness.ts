import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { FixSessionSettings, StatusLine, VenueLine } from '../../../service/src/market/fix/protocol.ts';
import type { BackoffOptions } from '../backoff.ts';
import { JspurefixVenue } from '../jspurefix-venue.ts';
import { sequencePath } from '../venue.ts';

export const US = 'FIRMQUOTE';
export const THEM = 'VENUE';

/** No test waits for a pause. */
export const IMPATIENT: BackoffOptions = {
  limits: { lost: { firstMs: 20, maxMs: 100 }, refused: { firstMs: 20, maxMs: 100 } },
};

export function settings(port: number, more: Partial<FixSessionSettings> = {}): FixSessionSettings {
  return {
    name: 'lp',
    host: '127.0.0.1',
    port,
    senderCompId: US,
    targetCompId: THEM,
    username: 'desk',
    password: 'open sesame',
    heartbeatSeconds: 5,
    resetSequence: false,
    mode: 'marketData',
    updates: 'full',
    symbolSeparator: '/',
    pairs: ['EURUSD'],
    quoteQuantity: '1000000',
    maxAgeMs: 5_000,
    ...more,
  };
}

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'fq-fix-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export type LineOf<Type extends VenueLine['type']> = Extract<VenueLine, { type: Type }>;

/** A session under test, with all that it has told. */
export class Desk {
  readonly lines: VenueLine[] = [];
  readonly statuses: StatusLine[] = [];
  readonly venue: JspurefixVenue;
  #isStopped = false;

  constructor(t: TestContext, folder: string, session: FixSessionSettings, now?: () => number) {
    this.venue = new JspurefixVenue(
      {
        settings: session,
        folder,
        emit: (line) => this.lines.push(line),
        onStatus: (line) => this.statuses.push(line),
        ...(now === undefined ? {} : { now }),
      },
      IMPATIENT,
    );
    t.after(() => this.stop());
    this.venue.start();
  }

  /** The lines of a type so far. */
  of<Type extends VenueLine['type']>(type: Type): LineOf<Type>[] {
    return this.lines.filter((line): line is LineOf<Type> => line.type === type);
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await this.venue.stop();
  }

  /** The first line of a type from the given place on that the condition holds for. */
  async next<Type extends VenueLine['type']>(
    type: Type,
    holds: (line: LineOf<Type>) => boolean = () => true,
  ): Promise<LineOf<Type>> {
    let found: LineOf<Type> | undefined;
    await until(`a line ${type}`, () => {
      found = this.of(type).find(holds);
      return found !== undefined;
    });
    return found as LineOf<Type>;
  }

  async up(logons = 1): Promise<void> {
    await until(`logon ${logons}`, () => {
      const { state, logons: count } = this.venue.status();
      return state === 'up' && count >= logons;
    });
  }

  async refused(reason: string): Promise<void> {
    await until(`refused: ${reason}`, () => (this.venue.status().refused[reason] ?? 0) > 0);
  }
}

const LIMIT_MS = 90_000;

/** Waits for what another end of a connection brings about. */
export async function until(what: string, holds: () => boolean): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`not within ${LIMIT_MS} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Leaves the sequence file of the default session as a process would that was killed. */
export function markOpen(folder: string): void {
  const path = sequencePath(folder, settings(1));
  writeFileSync(path, readFileSync(path, 'latin1').replace('closed', 'open  '));
}
