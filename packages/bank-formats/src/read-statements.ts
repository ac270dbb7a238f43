import { CamtReader } from './camt.ts';
import { type Conditions, checked } from './check.ts';
import { CsvReader } from './csv.ts';
import type { CsvMapping } from './csv-mapping.ts';
import {
  type ByteSource,
  declaredEncoding,
  decoded,
  detectedEncoding,
  type Encoding,
  headOf,
  requireNoUtf16,
} from './decode.ts';
import { JsonReader } from './json.ts';
import { Mt940Reader } from './mt940.ts';
import { PaymentStatusReader } from './pain002.ts';
import { StatementRefusal } from './refusal.ts';
import type { Emit, StatementEvent, StatementFormat, StatementReader } from './statement.ts';

export interface Choice {
  /** What the file is; by default it is looked at. */
  readonly format?: StatementFormat | undefined;
  /** How a CSV file is to be read. CSV has no form of its own, so it is never guessed. */
  readonly mapping?: CsvMapping | undefined;
}

/** @throws StatementRefusal encoding_invalid, format_unknown, mapping_missing */
export async function formatOf(source: ByteSource, { format, mapping }: Choice): Promise<StatementFormat> {
  const head = await headOf(source);
  requireNoUtf16(head);
  const found = format ?? (mapping === undefined ? detectFormat(head) : 'csv');
  if (found === undefined) {
    throw new StatementRefusal(
      'format_unknown',
      'neither camt, pain.002, MT940, MT942 nor JSON; a CSV file needs a mapping, and a compressed one is unpacked first',
    );
  }
  if (found === 'csv' && mapping === undefined) {
    throw new StatementRefusal('mapping_missing', 'a CSV file needs the name of a mapping');
  }
  return found;
}

function detectFormat(head: Buffer): StatementFormat | undefined {
  const text = head
    .toString('latin1')
    .replaceAll('\u0001', '')
    .replace(/^(?:\u00ef\u00bb\u00bf|\s)+/, '');
  if (text.startsWith('<')) return /[:>]pain\.002\./.test(text) ? 'pain.002' : 'camt';
  if (/^\{[1-5]:/.test(text) || /(?:^|[\r\n]):(?:\d\d[A-Z]?|NS|940|942):/.test(text)) return 'mt940';
  return /^[{[]/.test(text) ? 'json' : undefined;
}

/**
 * Reads a statement file of any format from beginning to end. Events come in the order of the file and in small
 * groups; nothing is kept, so that a file of any size takes the same memory. A file that is not right to its very end
 * throws, and then nothing of it counts.
 * @throws StatementRefusal with the line
 */
export async function* readStatements(
  source: ByteSource,
  format: StatementFormat,
  mapping?: CsvMapping,
  conditions: Conditions = {},
): AsyncGenerator<readonly StatementEvent[]> {
  let events: StatementEvent[] = [];
  let statements = 0;
  const emit = checked((event) => {
    if (event.type !== 'begin' && event.type !== 'entry') statements += 1;
    events.push(event);
  }, conditions);
  const reader = readerOf(format, emit, mapping);
  try {
    for await (const text of decoded(source, await encodingOf(source, format, mapping))) {
      reader.write(text);
      if (events.length > 0) {
        yield events;
        events = [];
      }
    }
    reader.end();
    if (statements === 0)
      throw new StatementRefusal('no_statement', 'the file holds no statement and no status of a payment');
  } catch (error) {
    // For who shows how far it is right.
    if (events.length > 0) yield events;
    throw error;
  }
  if (events.length > 0) yield events;
}

function readerOf(format: StatementFormat, emit: Emit, mapping: CsvMapping | undefined): StatementReader {
  if (format === 'camt') return new CamtReader(emit);
  if (format === 'pain.002') return new PaymentStatusReader(emit);
  if (format === 'mt940') return new Mt940Reader(emit);
  if (format === 'json') return new JsonReader(emit);
  if (mapping === undefined) throw new StatementRefusal('mapping_missing', 'a CSV file needs a mapping');
  return new CsvReader(mapping, emit);
}

async function encodingOf(
  source: ByteSource,
  format: StatementFormat,
  mapping: CsvMapping | undefined,
): Promise<Encoding> {
  if (format === 'camt' || format === 'pain.002') return declaredEncoding(await headOf(source));
  if (format === 'json') return 'utf-8';
  return (format === 'csv' ? mapping?.encoding : undefined) ?? detectedEncoding(source);
}
