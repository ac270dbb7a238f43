import { crc32, deflateRawSync } from 'node:zlib';

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
  const deadline = performance.now() + 5000;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`waited 5 s in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
