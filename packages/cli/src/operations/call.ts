import type { Cli } from '../cli.ts';
import { countOf } from '../count.ts';
import { usage } from '../errors.ts';
import type { View } from '../output/printer.ts';
import { save } from '../save.ts';
import type { Service } from '../service.ts';
import { type Filled, fill, type Values } from './flags.ts';
import { isWrite, type Operation } from './table.ts';

/** limit: Items of a page that the command asks for. */
const PAGE_SIZE = 200;

/** Calls an operation with what the command line says, and prints its answer. */
export async function callOperation(
  cli: Cli,
  operation: Operation,
  args: readonly string[],
  options: Values,
  view: View = {},
): Promise<void> {
  const filled = await fill(cli.io, operation, args, options);
  if (isSocket(operation)) {
    throw usage(
      `${operation.id} opens a WebSocket, not a request with an answer.`,
      'For changing prices: firmquote rates watch EURUSD. For every event of the stream: firmquote call streamPrices --pairs EURUSD.',
    );
  }
  const service = await cli.service(operation.audience);
  if (operation.pages === true) return printPages(cli, service, operation, filled, options, view);
  if (isWrite(operation)) await service.confirmWrite(operation.summary);
  const isFile = operation.answers.length > 0 && !operation.answers.includes('application/json');
  if (operation.answers.length === 1 && operation.answers[0] === 'text/event-stream')
    return printStream(cli, service, operation, filled);
  const answer = await service.send(operation, filled, {
    isFile: isFile || typeof options.save === 'string',
  });
  await printAnswer(cli, answer.data, { ...view, save: options.save });
}

/** What is read and has no kind of answer goes on as something else than HTTP. */
function isSocket({ method, answers }: Operation): boolean {
  return method === 'GET' && answers.length === 0;
}

/** JSON as the format wants it, a file as it is, and nothing where there is nothing. */
export async function printAnswer(
  cli: Cli,
  data: unknown,
  view: View & { readonly save?: unknown },
): Promise<void> {
  if (data === undefined) return cli.note('Done.');
  if (isDownload(data)) return save(cli, data, typeof view.save === 'string' ? view.save : undefined);
  if (Array.isArray(data)) return cli.print.many(data, view);
  const list = listIn(data);
  if (list !== undefined && cli.print.format !== 'json' && cli.print.format !== 'yaml')
    return cli.print.many(list, view);
  await cli.print.one(data, view);
}

/** Of an object that is nothing but a list: `{"pairs":[…]}`. */
function listIn(data: unknown): readonly unknown[] | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const [only, ...others] = Object.values(data);
  return others.length === 0 && Array.isArray(only) ? only : undefined;
}

/** Something to read as a file. */
export interface Readable {
  readonly contentType: string;
  readonly fileName: string | undefined;
  stream(): ReadableStream<Uint8Array>;
}

function isDownload(data: unknown): data is Readable {
  return (
    typeof data === 'object' && data !== null && typeof (data as Partial<Readable>).stream === 'function'
  );
}

async function printPages(
  cli: Cli,
  service: Service,
  operation: Operation,
  filled: Filled,
  options: Values,
  view: View,
): Promise<void> {
  const most = mostOf(options);
  await printUpTo(cli, service.items(operation, filled, pageSizeFor(most)), most, view);
}

/** As many items of a list as somebody wants to see. */
export function mostOf({ all, limit }: Values): number {
  return all === true ? Number.POSITIVE_INFINITY : countOf(limit, '--limit');
}

export function pageSizeFor(most: number): number {
  return Math.min(PAGE_SIZE, most);
}

/** A list up to so many items; says where there are more. */
export async function printUpTo(
  cli: Cli,
  items: AsyncIterable<unknown>,
  most: number,
  view: View,
): Promise<void> {
  let isCut = false;
  const shown = async function* () {
    let left = most;
    for await (const item of items) {
      if (left === 0) {
        isCut = true;
        return;
      }
      left -= 1;
      yield item;
    }
  };
  await cli.print.many(shown(), view);
  if (isCut) await cli.note(`There are more than ${most}: --limit shows more, --all shows all.`);
}

async function printStream(cli: Cli, service: Service, operation: Operation, filled: Filled): Promise<void> {
  await cli.print.each(service.serverSentEvents(operation, filled));
}
