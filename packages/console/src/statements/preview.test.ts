import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS } from '@firmquote/api';
import { CsvMapping } from '@firmquote/api/operations/statement-mappings';
import { Compile } from 'typebox/schema';

const asked: URL[] = [];
// The console's client sends to where its page comes from.
Object.assign(globalThis, {
  location: { origin: 'http://console.test' },
  fetch: async (input: string | URL) => {
    asked.push(new URL(input));
    return Response.json({});
  },
});
const { foundIn, previewOf } = await import('./preview.ts');
const { mappingOf, setMapping } = await import('./mapping-commands.ts');

test('a mapping is tried as it stands in its form', async () => {
  const initials = setMapping(undefined, []).asks?.(undefined) ?? [];
  const given = Object.fromEntries(initials.map(({ name, initial = '' }) => [name, initial]));
  const file = new File(['Datum;Betrag'], 'bank.csv');
  const draft = mappingOf({ ...given, column_bookingDate: 'Datum', groupMark: 'space', delimiter: 'tab' });
  await previewOf(file, { draft });
  await previewOf(file, { mapping: 'house' });
  const [tried, kept] = asked;
  const { path = '', query = {} } = OPERATIONS.find(({ id }) => id === 'previewStatementFile') ?? {};
  assert.equal(tried?.pathname, path);
  const sent = JSON.parse(tried?.searchParams.get('draftMapping') ?? '');
  assert.ok(Compile(CsvMapping).Check(sent), JSON.stringify(sent));
  assert.deepEqual([sent.columns.bookingDate, sent.groupMark, sent.delimiter], ['Datum', ' ', '\t']);
  for (const name of tried?.searchParams.keys() ?? []) assert.ok(name in query, name);
  assert.deepEqual(Object.fromEntries(kept?.searchParams ?? []), { name: 'bank.csv', mapping: 'house' });
});

test('what was read is told in a sentence', () => {
  const preview = { statements: 1, entries: 2, paymentStatuses: 0, sums: [] } as never as Parameters<
    typeof foundIn
  >[0];
  assert.equal(foundIn(preview), '1 statement, 2 entries.');
  const sums = [
    {
      currency: 'USD',
      credits: { count: 1, amount: '1234.50' },
      debits: { count: 1, amount: '3.00' },
    },
  ];
  assert.equal(
    foundIn({ ...preview, entries: 1, paymentStatuses: 1, sums }),
    '1 statement, 1 entry, 1 payment status. USD: 1,234.50 in, 3.00 out.',
  );
});
