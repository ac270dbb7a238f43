import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Cli } from './cli.ts';
import { CliError, interrupted, usage } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import type { Readable as Download } from './operations/call.ts';
import { safeLines } from './output/safe-text.ts';

const TEXT = /^(text\/|application\/([\w.-]+\+)?(json|xml)\b)/;

/** A file of the service: to a file, or to stdout as it is. On a terminal text is made safe, and anything else refused. */
export async function save(cli: Cli, download: Download, path: string | undefined): Promise<void> {
  if (path !== undefined && path !== '-') return toFile(cli, download, resolve(cli.io.cwd, path));
  const isText = TEXT.test(download.contentType);
  if (cli.print.isTerminal && !isText) {
    await download.stream().cancel();
    throw usage(
      `The answer is ${download.contentType || 'a file'}, which a terminal cannot show.`,
      `Write it to a file: --save ${download.fileName ?? 'file'}.`,
    );
  }
  const decoder = new TextDecoder();
  for await (const bytes of piecesOf(download)) {
    await cli.print.raw(cli.print.isTerminal ? safeLines(decoder.decode(bytes, { stream: true })) : bytes);
  }
}

/**
 * What comes of a file, piece by piece.
 * @throws CliError where it ends before its end
 */
async function* piecesOf(download: Download): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = download.stream().getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        throw brokenOff(error);
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function brokenOff(cause: unknown): CliError {
  // Ctrl-C has ended the request.
  if (cause instanceof Error && cause.name === 'CancelledError')
    return interrupted('Interrupted: the file is not complete.');
  return new CliError(
    EXIT.unavailable,
    'connection_lost',
    'The connection broke before the file was complete.',
    'Get it again. Look for the cause: firmquote doctor.',
    { cause },
  );
}

async function toFile(cli: Cli, download: Download, path: string): Promise<void> {
  let bytes = 0;
  const counted = async function* (chunks: AsyncIterable<Uint8Array>) {
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  };
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
  try {
    await pipeline(piecesOf(download), counted, file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST')
      throw usage(`${path} already exists.`, 'Name another file, or move it away first.');
    await rm(path, { force: true });
    if (error instanceof CliError) throw error;
    throw new CliError(
      EXIT.unexpected,
      'file_not_written',
      `${path} was not written: ${message}`,
      undefined,
      { cause: error },
    );
  }
  await cli.note(`${path}: ${bytes} bytes.`);
}
