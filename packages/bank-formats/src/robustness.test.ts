import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { readStatements } from './read-statements.ts';
import { StatementRefusal } from './refusal.ts';
import { camt, readAll, txDtls } from './test-support.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

const CAMT = Buffer.from(
  camt(
    [
      { amount: '12.34', reference: 'R1', details: [txDtls('INV 1')] },
      { amount: '1.00', direction: 'DBIT' },
    ],
    {
      opening: '0.00',
      closing: '11.34',
    },
  ),
);
const MT940 = Buffer.from(
  ':20:S\r\n:25:DE89370400440532013000\r\n:28C:5/1\r\n:60F:C260304EUR10,\r\n:61:2603040304C1,50NTRFCUST//BANK\r\n:86:166?00X?20EREF+E?21SVWZ+INV 5\r\n:62F:C260304EUR11,5\r\n-\r\n',
);
const JSON_FILE = Buffer.from(
  JSON.stringify({
    statements: [
      {
        account: 'A1',
        currency: 'USD',
        entries: [{ amount: '1.00', direction: 'credit', bookingDate: '2026-03-04' }],
      },
    ],
  }),
);

/** Read, or refused with a reason: nothing else may come of a file. */
async function settles(bytes: Uint8Array, pieceBytes: number): Promise<void> {
  try {
    const { statements } = await readAll(bytes, {}, pieceBytes);
    for (const { entries } of statements) {
      for (const entry of entries) {
        const sum = entry.details.reduce((all, each) => all + each.amountMinor, 0n);
        assert.equal(sum, entry.amountMinor);
        assert.ok(entry.amountMinor >= 0n);
      }
    }
  } catch (error) {
    assert.ok(error instanceof StatementRefusal, error instanceof Error ? error.stack : String(error));
  }
}

describe('readers', () => {
  for (const [name, file] of Object.entries({ CAMT, MT940, JSON_FILE })) {
    test(`read or refuse ${name} with any bytes changed`, async () => {
      const change = fc.record({ at: fc.nat(file.length - 1), byte: fc.nat(255) });
      await fc.assert(
        fc.asyncProperty(
          fc.array(change, { minLength: 1, maxLength: 4 }),
          fc.integer({ min: 1, max: 300 }),
          async (changes, piece) => {
            const bytes = Buffer.from(file);
            for (const { at, byte } of changes) bytes[at] = byte;
            await settles(bytes, piece);
          },
        ),
        { numRuns: 300 },
      );
    });

    test(`refuse ${name} cut off anywhere before its last entry is told`, async () => {
      // Behind the last thing that matters only marks follow: what is cut off there changes no money.
      const mark = { CAMT: '</Document>', MT940: ':62F:C260304EUR11,5', JSON_FILE: '}]}' }[name] ?? '';
      const end =
        file.indexOf(mark) + (name === 'CAMT' ? mark.length : name === 'JSON_FILE' ? mark.length : 0);
      for (let length = 0; length < end; length++) {
        await assert.rejects(
          readAll(file.subarray(0, length), {
            format: ({ CAMT: 'camt', MT940: 'mt940', JSON_FILE: 'json' } as const)[name as 'CAMT'],
          }),
          StatementRefusal,
        );
      }
    });
  }

  test('read or refuse any bytes as any format', async () => {
    const format = fc.constantFrom('camt', 'mt940', 'json' as const);
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), format, async (bytes, chosen) => {
        await readAll(bytes, { format: chosen }).catch((error: unknown) =>
          assert.ok(error instanceof StatementRefusal),
        );
      }),
      { numRuns: 200 },
    );
  });

  test('take no longer for texts that are made to be slow', async () => {
    const runs = [
      '/'.repeat(16_000),
      ' '.repeat(16_000),
      '?20'.repeat(5_000),
      '/REMI/'.repeat(2_500),
      '0'.repeat(16_000),
    ];
    const lines = runs.flatMap((run) => [`:86:/EREF/${run}x`, `:86:166?20${run}x`, `:86:${run}x`]);
    const entries = lines.flatMap((line) => [':61:260304C1,NTRFNONREF', line]);
    const file = [':20:S', ':25:1', ':60F:C260304EUR0,', ...entries, ':62F:C260304EUR15,', '-'].join('\n');
    const started = performance.now();
    assert.equal((await readAll(file, {}, 60_000)).statements[0]?.entries.length, 15);
    assert.ok(performance.now() - started < 5_000, 'quadratic work takes minutes');
  });

  test('cut no character in half', async () => {
    const text = `${'a'.repeat(139)}\u{1F4B6}b`;
    const [statement] = (
      await readAll(
        camt([{ amount: '1.00', reference: text, details: [txDtls('x\u{1F4B6}'.repeat(3_000))] }]),
      )
    ).statements;
    const [entry] = statement?.entries ?? [];
    assert.equal(entry?.bankReference, 'a'.repeat(139));
    assert.ok(entry?.details[0]?.remittanceText?.isWellFormed());
  });

  test('read a statement of 100 MB in the memory of a small one', async () => {
    const [before = '', after = ''] = camt([]).split('</Stmt>');
    const text = 'INVOICE 4711 FOR SERVICES RENDERED '.repeat(4);
    const entry = camt([{ amount: '1.00', reference: 'REFERENCE', details: [txDtls(text).repeat(3)] }]);
    const ntry = /<Ntry>[\s\S]*<\/Ntry>\n/.exec(entry)?.[0] ?? '';
    const piece = Buffer.from(ntry.repeat(100));
    const pieces = Math.ceil(100_000_000 / piece.length);
    const source = {
      async *open() {
        yield Buffer.from(before);
        for (let count = 0; count < pieces; count++) yield piece;
        yield Buffer.from(`</Stmt>${after}`);
      },
    };
    let entries = 0;
    let most = 0;
    let looked = 0;
    // What lives, since garbage is collected when the machine gets to it.
    const living = () => {
      gc();
      return process.memoryUsage().heapUsed;
    };
    const start = living();
    for await (const events of readStatements(source, 'camt')) {
      for (const event of events) if (event.type === 'entry') entries += 1;
      if (entries < (looked * pieces * 100) / 10) continue;
      looked += 1;
      most = Math.max(most, living() - start);
    }
    assert.equal(entries, pieces * 100);
    assert.equal(looked, 11);
    // A file in memory would be 200 MB and more.
    assert.ok(most < 10_000_000, `${Math.round(most / 1e6)} MB more were in use`);
  });
});
