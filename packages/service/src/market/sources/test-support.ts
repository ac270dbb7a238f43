import { crc32, deflateRawSync } from 'node:zlib';
import { formatDecimal } from '@firmquote/fx';
import { createLogger, type Logger } from '../../platform/logger.ts';
import type { Timers } from './back-off.ts';
import type { TickSink, WithdrawalSink } from './source.ts';

/** Helpers of this folder's tests; nothing else imports them. */
export interface ZipEntry {
  readonly name: string;
  readonly content: string;
  /** What the archive claims the content unpacks to, when it is to lie. */
  readonly claimedBytes?: number;
}

/** A zip archive of deflated entries (APPNOTE 4.3.7, 4.3.12, 4.3.16), honest or not. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, claimedBytes } of entries) {
    const packed = deflateRawSync(content);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(8, 4);
    shared.writeUInt32LE(crc32(content), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(claimedBytes ?? Buffer.byteLength(content), 18);
    shared.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), shared, tail, Buffer.from(name));
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, central, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

/** Waits for something that real timers bring about; fails loudly instead of hanging. */
export async function eventually(holds: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited 30 s in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Time that passes when the test says so, and chance that is what the test says. */
export class ManualTimers implements Timers {
  /** What `random` gives. */
  chance = 0.5;
  #now = 0;
  #due: { at: number; run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  random(): number {
    return this.chance;
  }

  after(ms: number, run: () => void): () => void {
    const entry = { at: this.#now + ms, run };
    this.#due.push(entry);
    return () => {
      this.#due = this.#due.filter((other) => other !== entry);
    };
  }

  /** How many timers are set. */
  get pending(): number {
    return this.#due.length;
  }

  /** Lets time pass; what falls due runs in its order, also what was set meanwhile. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const next = this.#due.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#due = this.#due.filter((other) => other !== next);
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
  }
}

/** A logger that keeps its lines. */
export function keptLog(): { readonly logger: Logger; text(): string } {
  let text = '';
  const logger = createLogger('trace', {
    write(line: string) {
      text += line;
    },
  });
  return { logger, text: () => text };
}

/** Takes every tick in and keeps it as text: pair, bid, ask, instant, source; and what is taken back, as pair and instant. */
export function keptTicks() {
  const lines: string[] = [];
  const gone: string[] = [];
  const withdraw: WithdrawalSink = (pair = 'all', at) => {
    gone.push(at === undefined ? pair : `${pair} ${at}`);
    return [];
  };
  const taken: { readonly sink: TickSink } = {
    sink: ({ pair, bid, ask, at, source }) => {
      lines.push(`${pair} ${formatDecimal(bid)} ${formatDecimal(ask)} ${at} ${source}`);
      return 'accepted';
    },
  };
  return { lines, gone, withdraw, ...taken };
}

/** A file of reference rates in the ECB's form, with its single quotes. */
export function ecbXml(days: Readonly<Record<string, Readonly<Record<string, string>>>>): string {
  const cubes = Object.entries(days).map(([time, rates]) => {
    const lines = Object.entries(rates).map(([code, rate]) => `<Cube currency='${code}' rate='${rate}'/>`);
    return `<Cube time='${time}'>${lines.join('\n')}</Cube>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
<gesmes:subject>Reference rates</gesmes:subject>
<gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
<Cube>${cubes.join('\n')}</Cube>
</gesmes:Envelope>`;
}
