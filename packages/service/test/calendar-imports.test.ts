import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { builtInDefinitions } from '@firmquote/fx';
import {
  type Customer,
  createCustomer,
  fieldErrors,
  moveClock,
  refused,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { assertReplay } from './support/answers.ts';
import type { TestService } from './support/service.ts';

/** Holidays as a vendor's file: proposed with the difference, and in force when another operator has approved them. */

const IMPORTS = '/v1/operator/calendar-imports';
const APPROVALS = '/v1/operator/approvals';
const SOURCE = 'Example Vendor, holidays of November 2025';

let service: TestService;
let acme: Customer;
let second: string;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
  const { clientId, clientSecret } = service.sandbox.secondOperator;
  second = await service.token(clientId, clientSecret);
});

type Query = Readonly<Record<string, string | undefined>>;
const USUAL = { source: SOURCE, reason: 'yearly update', fromYear: '2026', toYear: '2026' };
const CSV = { 'Content-Type': 'text/csv' };

function upload(file: string, query: Query = {}, headers: Readonly<Record<string, string>> = {}) {
  const all: Query = { ...USUAL, ...query };
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return service.operate('POST', `${IMPORTS}?${new URLSearchParams(given)}`, file, { ...CSV, ...headers });
}

const proposed = async (file: string, query: Query = {}) => (await succeed(202, upload(file, query))).body;
const decide = (approvalId: string, verb = 'approve', token = second) =>
  service.call('POST', `${APPROVALS}/${approvalId}/${verb}`, { token });
const year = async (path: string) =>
  (await succeed(200, service.operate('GET', `/v1/operator/calendars/${path}`))).body;
const valueDate = async () => (await acme.quote()).body.settlement.valueDate;

/** What is built in of a currency's year, as a vendor would list it. */
function builtIn(currency: string, of: number): string {
  const days = builtInDefinitions.find((definition) => definition.currency === currency)?.holidays ?? [];
  return [...days]
    .filter(([date]) => date.startsWith(`${of}-`))
    .map(([date, name]) => `${currency},${date},"${name}"\n`)
    .join('');
}

const HEADINGS = 'currency,date,name\n';
const EUR = HEADINGS + builtIn('EUR', 2026);
const MOURNING = 'EUR,2026-03-06,Day of mourning\n';

describe('an import of holidays', () => {
  test('is a proposal with the difference, and changes nothing', async () => {
    const trade = (await acme.trade()).body;
    assert.equal(trade.settlement.valueDate, '2026-03-06');
    const file = (EUR + MOURNING).replace('Good Friday', 'Karfreitag').replace(/EUR,2026-05-01.*\n/, '');
    const answer = await succeed(202, upload(file));
    const { importId, calendars, approval, lines, leftOut, appliedAt } = answer.body;
    assert.equal(answer.headers.get('Location'), `${IMPORTS}/${importId}`);
    assert.deepEqual([lines, leftOut, appliedAt], [6, { otherYears: 0, notAskedFor: 0 }, null]);
    const [removed] = calendars[0].removed;
    assert.deepEqual(calendars, [
      {
        currency: 'EUR',
        years: [{ year: 2026, replaces: 1, known: true }],
        added: [{ date: '2026-03-06', name: 'Day of mourning' }],
        removed: [{ date: '2026-05-01', name: removed.name }],
        renamed: [{ date: '2026-04-03', name: 'Karfreitag', formerName: 'Good Friday' }],
        openTransactions: 1,
      },
    ]);
    assert.deepEqual(
      [approval.kind, approval.status, approval.subject, approval.why],
      ['calendar_import', 'pending', importId, ['This always needs two people.']],
    );
    assert.deepEqual([approval.request.added, approval.request.removed, approval.request.renamed], [1, 1, 1]);
    assert.equal(await valueDate(), '2026-03-06');
    assert.equal((await year('EUR/2026')).version, 1);
    assert.deepEqual((await service.operate('GET', `${IMPORTS}/${importId}`)).body, answer.body);
    assert.equal((await decide(approval.approvalId, 'reject')).body.status, 'rejected');
    assert.equal((await year('EUR/2026')).version, 1, 'a rejected one ends');
    await refused('invalid_state_transition', decide(approval.approvalId));
  });

  test('is in force when another operator has approved it, with who, when and the source', async () => {
    const { approval, importId } = await proposed(EUR + MOURNING);
    await refused('second_person_required', decide(approval.approvalId, 'approve', service.operatorToken));
    await succeed(200, decide(approval.approvalId));
    assert.equal(await valueDate(), '2026-03-09', 'at once in this process');
    const { body } = await service.operate('GET', `${IMPORTS}/${importId}`);
    assert.deepEqual([body.approval.status, body.appliedAt], ['approved', body.approval.decidedAt]);
    const { items } = (await service.operate('GET', '/v1/operator/calendars/EUR/2026/versions')).body;
    const [version] = items;
    assert.deepEqual(
      [version.version, version.complete, version.reason, version.importId, version.changedAt],
      [2, true, 'yearly update', importId, body.appliedAt],
    );
    const { operator, secondOperator } = service.sandbox;
    assert.deepEqual([version.changedBy, version.approvedBy], [operator.clientId, secondOperator.clientId]);
    assert.ok(version.changes.every((day: { source: string }) => day.source === SOURCE));
    const same = await proposed(EUR + MOURNING);
    assert.deepEqual([same.calendars[0].added, same.calendars[0].removed], [[], []]);
    await decide(same.approval.approvalId, 'reject');
  });

  test('is refused when a calendar has changed since, whole', async () => {
    const file = EUR + MOURNING + builtIn('GBP', 2026);
    const { approval } = await proposed(`${file}GBP,2026-03-09,Bank closed\n`);
    const change = { changes: [], reason: 'by hand' };
    const path = '/v1/operator/calendars/EUR/2026';
    await succeed(200, service.operate('PUT', path, change, { 'If-Match': '"v2"' }));
    await refused('proposal_outdated', decide(approval.approvalId), { currencies: ['EUR'] });
    assert.equal((await year('GBP/2026')).version, 1);
    assert.equal(
      (await service.operate('GET', `${APPROVALS}/${approval.approvalId}`)).body.status,
      'pending',
    );
    await decide(approval.approvalId, 'reject');
  });

  test('two of one year: the second to be approved is outdated, also at the same moment', async () => {
    const files = ['2026-07-06', '2026-07-07'].map(
      (date) => `${HEADINGS}${builtIn('CHF', 2026)}CHF,${date},X\n`,
    );
    const both = await Promise.all(files.map((file) => proposed(file)));
    const answers = await Promise.all(both.map(({ approval }) => decide(approval.approvalId)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
    assert.equal((await year('CHF/2026')).version, 2);
  });

  test('extends a calendar by years, begins one, and keeps days off that operators opened', async () => {
    const file = `${HEADINGS}XOF,2026-01-01,New Year\nXOF,2027-01-01,New Year\nXOF,2028-01-03,Other year\n`;
    const { approval, calendars, leftOut } = await proposed(file, { toYear: '2027' });
    assert.deepEqual(
      calendars[0].years.map(({ known }: { known: boolean }) => known),
      [false, false],
    );
    assert.equal(calendars[0].added.length, 2);
    assert.equal(leftOut.otherYears, 1);
    await succeed(200, decide(approval.approvalId));
    assert.deepEqual((await year('XOF/2027')).range.to, '2027-12-31');
    const open = { date: '2027-03-06', state: 'open', reason: 'Working Saturday', source: 'decree' };
    const change = { complete: true, changes: [open], reason: 'decree' };
    await succeed(
      200,
      service.operate('PUT', '/v1/operator/calendars/XOF/2027', change, { 'If-Match': '"v2"' }),
    );
    const again = await proposed(file, { fromYear: '2027', toYear: '2027' });
    assert.deepEqual(again.calendars[0].removed, []);
    await succeed(200, decide(again.approval.approvalId));
    assert.deepEqual((await year('XOF/2027')).changes[1], open);
    const closes = await proposed(`${file}XOF,2027-03-06,Closed\n`, { fromYear: '2027', toYear: '2027' });
    assert.deepEqual(closes.calendars[0].added, [{ date: '2027-03-06', name: 'Closed' }]);
  });

  test('may name centres, be parted by semicolons and begin with a byte order mark', async () => {
    const file =
      '\ufeffName;Centre;Date;Extra\r\n"New; Year";TYO;2026-01-01;x\r\nElsewhere;ABC;2026-01-02;\r\n';
    const { calendars, leftOut } = await proposed(file, { centres: 'TYO:JPY' });
    assert.equal(calendars[0].currency, 'JPY');
    assert.equal(calendars[0].renamed[0].name, 'New; Year');
    assert.ok(calendars[0].removed.length > 10);
    assert.equal(leftOut.notAskedFor, 1);
    const some = await proposed(`${EUR}not one,x,y\n`, { currencies: 'EUR' });
    assert.equal(some.leftOut.notAskedFor, 1);
    assert.deepEqual(await fieldErrors(upload(file)), [['/query/centres', 'required']]);
    assert.deepEqual(await fieldErrors(upload(EUR, { centres: 'A:EUR,B:EUR' })), [
      ['/query/centres', 'repeated'],
    ]);
  });

  test('is proposed once for a key, whose query counts', async () => {
    const headers = { 'Idempotency-Key': 'import-1' };
    const first = await succeed(202, upload(EUR, {}, headers));
    assertReplay(await upload(EUR, {}, headers), first);
    await refused('idempotency_key_reused', upload(EUR, { reason: 'another' }, headers));
  });

  test('needs the scope of calendars, also to approve', async () => {
    const { approval } = await proposed(EUR);
    await refused('insufficient_scope', service.call('POST', IMPORTS, { body: EUR, headers: CSV }));
    await refused('insufficient_scope', decide(approval.approvalId, 'approve', service.customerToken));
    await refused('calendar_import_not_found', service.operate('GET', `${IMPORTS}/cim_x`));
  });
});

describe('what is wrong with a file is told line by line', () => {
  const wrong = async (file: string, query: Query = {}) => fieldErrors(upload(file, query));

  test('days', async () => {
    const lines = [
      'EUR,2026-02-29,No such day',
      'EUR,01/05/2026,Other form',
      'EUR,2026-01-01,Twice',
      'ZZZ,2026-01-01,Unknown',
      ',2026-01-01,Nobody',
      'EUR,2026-01-05,',
      'EUR,2026-01-06',
    ];
    assert.deepEqual(await wrong(`${HEADINGS}EUR,2026-01-01,New Year\n\n${lines.join('\n')}\n`), [
      ['/lines/4/date', 'wrong_format'],
      ['/lines/5/date', 'wrong_format'],
      ['/lines/6/date', 'repeated'],
      ['/lines/7/currency', 'not_permitted'],
      ['/lines/8/currency', 'required'],
      ['/lines/9/name', 'wrong_format'],
      ['/lines/10', 'wrong_format'],
    ]);
    const many = await wrong(HEADINGS + 'EUR,x,y\n'.repeat(300));
    assert.deepEqual([many.length, many.at(-1)], [101, ['', 'too_many']]);
  });

  test('headings, and what is no CSV', async () => {
    for (const headings of [
      'currency,date',
      'currency,centre,date,name',
      'currency,date,name,date',
      'EUR,x,y',
    ]) {
      assert.deepEqual(
        await wrong(`${headings}\nEUR,2026-01-01,X\n`),
        [['/lines/1', 'wrong_format']],
        headings,
      );
    }
    assert.deepEqual(await wrong(`${HEADINGS}EUR,2026-01-01,"X\n`), [['/lines/2', 'wrong_format']]);
    for (const nothing of ['\n', HEADINGS]) assert.deepEqual(await wrong(nothing), [['', 'required']]);
    const latin1 = await fetch(`${service.baseUrl}${IMPORTS}?${new URLSearchParams(USUAL)}`, {
      method: 'POST',
      headers: { ...CSV, Authorization: `Bearer ${service.operatorToken}` },
      body: Buffer.from(`${HEADINGS}EUR,2026-01-01,Fête\n`, 'latin1'),
    });
    const { errors } = (await latin1.json()) as { errors: unknown };
    assert.deepEqual(
      [latin1.status, errors],
      [400, [{ pointer: '', code: 'wrong_format', detail: 'must be UTF-8' }]],
    );
    await refused('unsupported_media_type', upload('{}', {}, { 'Content-Type': 'application/json' }));
  });

  test('years that a file does not cover, years without neighbours, and closures without end', async () => {
    assert.deepEqual(await wrong(EUR, { toYear: '2027' }), [['', 'required']]);
    assert.deepEqual(await wrong(EUR, { currencies: 'EUR,GBP' }), [['', 'required']]);
    const far = `${HEADINGS}EUR,2040-01-02,X\n`;
    assert.deepEqual(await wrong(far, { fromYear: '2040', toYear: '2040' }), [
      ['/query/fromYear', 'out_of_range'],
    ]);
    await succeed(200, decide((await proposed(`${HEADINGS}UGX,2026-01-26,X\n`)).approval.approvalId));
    assert.deepEqual(await wrong(`${HEADINGS}UGX,2024-01-26,X\n`, { fromYear: '2024', toYear: '2024' }), [
      ['/query/fromYear', 'out_of_range'],
    ]);
    const june = Array.from(
      { length: 20 },
      (_, day) => `EUR,2026-06-${String(day + 1).padStart(2, '0')},X\n`,
    );
    assert.deepEqual(await wrong(HEADINGS + june.join('')), [['', 'out_of_range']]);
  });

  test('the query, and files over the limits', async () => {
    const query = { source: undefined, reason: '', fromYear: '1999', toYear: undefined, colour: 'red' };
    assert.deepEqual(await wrong(EUR, query), [
      ['/query/reason', 'wrong_length'],
      ['/query/fromYear', 'not_permitted'],
      ['/query/source', 'required'],
      ['/query/toYear', 'required'],
      ['/query/colour', 'unknown_field'],
    ]);
    assert.deepEqual(await wrong(EUR, { toYear: '2036' }), [['/query/toYear', 'out_of_range']]);
    const unknown = await upload(EUR, { currencies: 'EUR,ZZZ' });
    assert.equal(unknown.body.errors[0].pointer, '/query/currencies');
    await refused('currency_not_supported', Promise.resolve(unknown));
    assert.deepEqual(await wrong(HEADINGS + 'ABC,1999-01-01,X\n'.repeat(20_001), { currencies: 'EUR' }), [
      ['', 'too_many'],
    ]);
    await refused('body_too_large', upload('x'.repeat(2 * 1024 * 1024 + 1)));
  });
});

test('a proposal that nobody decides on ends', async () => {
  const { approval, importId } = await proposed(EUR);
  await moveClock(service, { advanceSeconds: 72 * 3_600 });
  await refused('approval_expired', decide(approval.approvalId));
  const { body } = await service.operate('GET', `${IMPORTS}/${importId}`);
  assert.deepEqual([body.appliedAt, (await year('EUR/2026')).version], [null, 3]);
});
