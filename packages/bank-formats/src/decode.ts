import { StatementRefusal } from './refusal.ts';

/** A file that can be read from its beginning more than once. */
export interface ByteSource {
  open(): AsyncIterable<Uint8Array>;
}

export type Encoding = 'utf-8' | 'windows-1252' | 'iso-8859-15';

/** Names that XML declarations use. ISO-8859-1 is read as its superset windows-1252, as browsers do. */
const DECLARED: Readonly<Record<string, Encoding>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  ascii: 'utf-8',
  'iso-8859-1': 'windows-1252',
  'iso8859-1': 'windows-1252',
  latin1: 'windows-1252',
  'windows-1252': 'windows-1252',
  cp1252: 'windows-1252',
  'iso-8859-15': 'iso-8859-15',
};

/** How much of a file says what it is. */
const HEAD_BYTES = 4_096;

export async function headOf(source: ByteSource): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of source.open()) {
    pieces.push(piece);
    size += piece.length;
    if (size >= HEAD_BYTES) break;
  }
  return Buffer.concat(pieces).subarray(0, HEAD_BYTES);
}

/**
 * Spreadsheets and the shell of Windows write UTF-16, in which no format would be found.
 * @throws StatementRefusal encoding_invalid
 */
export function requireNoUtf16(head: Buffer): void {
  if ((head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff)) {
    throw new StatementRefusal('encoding_invalid', 'UTF-16 is not read; send UTF-8', 1);
  }
}

/**
 * The encoding that the XML declaration names, UTF-8 without one.
 * @throws StatementRefusal encoding_invalid
 */
export function declaredEncoding(head: Buffer): Encoding {
  requireNoUtf16(head);
  const declaration = /^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([^"']{1,40})["']/.exec(
    head.toString('latin1').replace(/^\u00ef\u00bb\u00bf/, ''),
  );
  const name = declaration?.[1]?.toLowerCase() ?? 'utf-8';
  const encoding = DECLARED[name];
  if (encoding === undefined) {
    throw new StatementRefusal('encoding_invalid', `the encoding ${name} is not read; send UTF-8`, 1);
  }
  return encoding;
}

/** UTF-8 when every byte of the file is; else windows-1252, which is what banks' older systems write. */
export async function detectedEncoding(source: ByteSource): Promise<Encoding> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const piece of source.open()) decoder.decode(piece, { stream: true });
    decoder.decode();
    return 'utf-8';
  } catch (error) {
    if (isDecodingError(error)) return 'windows-1252';
    throw error;
  }
}

/** How much text is handed on at once. */
const PIECE_BYTES = 64 * 1024;

/**
 * The text of a file in pieces.
 * @throws StatementRefusal encoding_invalid, for bytes that the encoding does not have, and for binary files
 */
export async function* decoded(source: ByteSource, encoding: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let line = 1;
  for await (const bytes of source.open()) {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      const text = decodePiece(decoder, bytes.subarray(at, at + PIECE_BYTES), line);
      const nul = text.indexOf('\0');
      if (nul !== -1) {
        throw new StatementRefusal(
          'encoding_invalid',
          'the file is binary',
          line + linesIn(text.slice(0, nul)),
        );
      }
      line += linesIn(text);
      if (text !== '') yield text;
    }
  }
  const rest = decodePiece(decoder, undefined, line);
  if (rest !== '') yield rest;
}

function decodePiece(
  decoder: InstanceType<typeof TextDecoder>,
  bytes: Uint8Array | undefined,
  line: number,
): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch (error) {
    if (!isDecodingError(error)) throw error;
    // The decoder does not say where. One that puts a replacement character there does.
    const lossy = new TextDecoder(decoder.encoding).decode(bytes);
    const at = line + linesIn(lossy.slice(0, Math.max(0, lossy.indexOf('\ufffd'))));
    throw new StatementRefusal('encoding_invalid', `the file is not encoded as ${decoder.encoding}`, at);
  }
}

function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function isDecodingError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
}
