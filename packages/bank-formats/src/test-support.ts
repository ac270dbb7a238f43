import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Choice, formatOf, readStatements } from './read-statements.ts';
import { StatementRefusal } from './refusal.ts';
import type {
  SetAside,
  StatementBegin,
  StatementEnd,
  StatementEntry,
  StatementFormat,
  TransactionDetails,
} from './statement.ts';

/** A statement as a test looks at it. */
export interface ReadStatement {
  readonly begin: StatementBegin;
  readonly entries: StatementEntry[];
  end: StatementEnd;
}

/** Everything that a file holds, cut into pieces as it might arrive. */
export async function readAll(
  content: string | Uint8Array,
  choice: Choice = {},
  pieceBytes = 1_000,
): Promise<{ format: StatementFormat; statements: ReadStatement[]; setAside: SetAside[] }> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const source = {
    async *open() {
      for (let from = 0; from < bytes.length; from += pieceBytes)
        yield bytes.subarray(from, from + pieceBytes);
    },
  };
  const format = await formatOf(source, choice);
  const statements: ReadStatement[] = [];
  const setAside: SetAside[] = [];
  let open: { begin: StatementBegin; entries: StatementEntry[] } | undefined;
  for await (const events of readStatements(source, format, choice.mapping)) {
    for (const event of events) {
      if (event.type === 'begin') open = { begin: event.statement, entries: [] };
      else if (event.type === 'set_aside') setAside.push(event.statement);
      else if (event.type === 'entry') open?.entries.push(event.entry);
      else if (event.type === 'end' && open !== undefined) statements.push({ ...open, end: event.statement });
    }
  }
  return { format, statements, setAside };
}

export interface CamtEntry {
  readonly amount: string;
  readonly currency?: string;
  readonly direction?: 'CRDT' | 'DBIT';
  readonly status?: string;
  readonly booked?: string;
  readonly valued?: string;
  readonly reference?: string;
  readonly reversal?: boolean;
  /** `TxDtls` elements, as XML. */
  readonly details?: readonly string[];
}

export interface CamtOptions {
  readonly message?: '052' | '053' | '054';
  readonly version?: string;
  readonly account?: string;
  readonly currency?: string;
  readonly number?: string;
  readonly opening?: string;
  readonly closing?: string;
  readonly date?: string;
  readonly created?: string;
}

const PARTS = {
  '052': ['BkToCstmrAcctRpt', 'Rpt'],
  '053': ['BkToCstmrStmt', 'Stmt'],
  '054': ['BkToCstmrDbtCdtNtfctn', 'Ntfctn'],
} as const;

/** A camt file with one statement, valid by its schema. */
export function camt(entries: readonly CamtEntry[], options: CamtOptions = {}): string {
  const { message = '053', version = '08', account = 'GB29NWBK60161331926819', currency = 'USD' } = options;
  const { date = '2026-03-04', created = '2026-03-04T18:00:00Z', number } = options;
  const [body, part] = PARTS[message];
  const isNew = Number.parseInt(version, 10) >= 8;
  const balance = (code: string, amount: string | undefined) =>
    amount === undefined
      ? ''
      : `<Bal><Tp><CdOrPrtry><Cd>${code}</Cd></CdOrPrtry></Tp><Amt Ccy="${currency}">${amount.replace('-', '')}</Amt>` +
        `<CdtDbtInd>${amount.startsWith('-') ? 'DBIT' : 'CRDT'}</CdtDbtInd><Dt><Dt>${date}</Dt></Dt></Bal>\n`;
  const entry = (each: CamtEntry) =>
    `<Ntry><Amt Ccy="${each.currency ?? currency}">${each.amount}</Amt><CdtDbtInd>${each.direction ?? 'CRDT'}</CdtDbtInd>` +
    `${each.reversal ? '<RvslInd>true</RvslInd>' : ''}` +
    `<Sts>${isNew ? `<Cd>${each.status ?? 'BOOK'}</Cd>` : (each.status ?? 'BOOK')}</Sts>` +
    `<BookgDt><Dt>${each.booked ?? date}</Dt></BookgDt><ValDt><Dt>${each.valued ?? each.booked ?? date}</Dt></ValDt>` +
    `${each.reference === undefined ? '' : `<AcctSvcrRef>${each.reference}</AcctSvcrRef>`}` +
    `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd></Fmly></Domn></BkTxCd>` +
    `${each.details === undefined ? '' : `<NtryDtls>${each.details.join('\n')}</NtryDtls>`}</Ntry>\n`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.${message}.001.${version}">
<${body}>
<GrpHdr><MsgId>M1</MsgId><CreDtTm>${created}</CreDtTm></GrpHdr>
<${part}>
<Id>S1</Id>
${number === undefined ? '' : `<ElctrncSeqNb>${number}</ElctrncSeqNb>`}
<CreDtTm>${created}</CreDtTm>
<Acct><Id>${/^[A-Z]{2}\d{2}/.test(account) ? `<IBAN>${account}</IBAN>` : `<Othr><Id>${account}</Id></Othr>`}</Id><Ccy>${currency}</Ccy></Acct>
${balance('OPBD', options.opening)}${balance('CLBD', options.closing)}${entries.map(entry).join('')}</${part}>
</${body}>
</Document>
`;
}

/** A `TxDtls` with a text and what else is given, in the order of the schema. */
export function txDtls(
  text: string,
  more: { refs?: string; amount?: string; parties?: string; after?: string } = {},
): string {
  const { refs = '', amount = '', parties = '', after = '' } = more;
  return `<TxDtls>${refs === '' ? '' : `<Refs>${refs}</Refs>`}${amount}${parties === '' ? '' : `<RltdPties>${parties}</RltdPties>`}<RmtInf><Ustrd>${text}</Ustrd></RmtInf>${after}</TxDtls>`;
}

/** The one statement of a file. */
export async function only(content: string | Uint8Array, pieceBytes?: number) {
  const { statements } = await readAll(content, {}, pieceBytes);
  assert.equal(statements.length, 1);
  const [statement] = statements;
  assert.ok(statement !== undefined);
  return statement;
}

/** Code and line of the refusal. */
export async function refusal(content: string | Uint8Array): Promise<[string, number | undefined]> {
  try {
    await readAll(content);
  } catch (error) {
    assert.ok(error instanceof StatementRefusal, String(error));
    return [error.code, error.line];
  }
  assert.fail('the file was accepted');
}

/** The only entry of a statement that holds these lines, whatever its amount. */
export async function entryOf(lines: readonly string[], encoding: BufferEncoding = 'utf8') {
  const amount = /^:61:\d{6}(?:\d{4}|\s{4})?\s?(R?[CD])[A-Z]?(\d+)[,.]?(\d*)/.exec(lines[0] ?? '');
  const cents = BigInt(`${amount?.[2] ?? '0'}${(amount?.[3] ?? '').padEnd(2, '0')}`);
  const isCredit = amount?.[1] === 'C' || amount?.[1] === 'RD';
  const [opening, closing] = isCredit ? [0n, cents] : [cents, 0n];
  const balance = (minor: bigint) =>
    `C260304EUR${minor / 100n},${(minor % 100n).toString().padStart(2, '0')}`;
  const file = [':20:S', ':25:DE89370400440532013000', ':28C:5/1', `:60F:${balance(opening)}`, ...lines];
  const text = [...file, `:62F:${balance(closing)}`, '-'].join('\r\n');
  const [entry] = (await only(Buffer.from(text, encoding))).entries;
  assert(entry !== undefined);
  return entry;
}

export type Expected = Partial<Omit<TransactionDetails, 'amountMinor' | 'exchange'>> & {
  readonly bankReference?: string | null;
};

/** Lines in the ways of the banks' files, with what they say. Fields that are not named are empty. */
export type Dialects = Readonly<Record<string, readonly [lines: readonly string[], expected: Expected]>>;

export function describeDialects(of: string, dialects: Dialects): void {
  describe(`tag 86 of ${of}`, () => {
    for (const [name, [lines, expected]] of Object.entries(dialects)) {
      test(name, async () => {
        const entry = await entryOf(lines);
        const [{ amountMinor: _, exchange: __, ...detail }] = entry.details as [TransactionDetails];
        const empty = {
          kind: 'payment',
          endToEndId: null,
          uetr: null,
          instructionId: null,
          paymentInformationId: null,
          detailReference: null,
          structuredReferences: [],
          remittanceText: null,
          counterpartyName: null,
          counterpartyAccount: null,
          creditedAccount: null,
          returnReason: null,
          originalReference: null,
          bankReference: null,
        };
        assert.deepEqual({ ...detail, bankReference: entry.bankReference }, { ...empty, ...expected });
      });
    }
  });
}
