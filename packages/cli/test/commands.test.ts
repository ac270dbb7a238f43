import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { OPERATIONS } from '@firmquote/api';
import { sealAll } from '../../service/test/support/seal-all.ts';
import { COMPILED } from '../../service/test/support/shell.ts';
import type { mapCommand } from '../src/map.ts';
import { BIN } from './support/terminal.ts';
import { startWorld } from './support/world.ts';

const { service, home, run, data, asOperator } = await startWorld();
const operate = (line: string | readonly string[], options = {}) =>
  data(line, { env: asOperator, ...options });

test('a trade from a price to its confirmation', async () => {
  const [price] = await data('rates get EUR/USD');
  assert.match(price.bid, /^\d\.\d{5}$/);
  const estimate = await data('quote --sell 250k EUR --buy USD --indicative');
  assert.equal(estimate.type, 'indicative');
  const asked = await run(
    'quote --sell EUR --buy 1_000.50 USD --valid 60s --ref INV-1 --metadata costCentre=4410',
  );
  assert.match(asked.stderr, /^Not executed\. To trade: firmquote quotes execute quote_/);
  const quote = JSON.parse(asked.stdout);
  assert.deepEqual(
    [quote.fixedSide, quote.buyAmount, quote.validitySeconds, quote.metadata],
    ['buy', '1000.50', 60, { costCentre: '4410' }],
  );
  const wrong = await run(`quotes execute ${quote.quoteId} --expect-buy 1000.51`);
  assert.equal(wrong.code, 3);
  assert.match(wrong.stderr, /quote_terms_mismatch/);
  const traded = await data(`quotes execute ${quote.quoteId} --ref PO-1 --expect-buy 1000.50`);
  assert.equal(traded.clientReference, 'PO-1');
  const kept = await data(`quote --sell 1000 EUR --buy USD`);
  const [first, repeated] = [
    await data(`quotes execute ${kept.quoteId} --idempotency-key mine`),
    await data(`quotes execute ${kept.quoteId} --idempotency-key mine`),
  ];
  assert.equal(repeated.transactionId, first.transactionId, 'as it is told to whoever lost the answer');
  const again = await run(`quotes execute ${quote.quoteId}`);
  assert.equal(again.code, 3);
  assert.match(again.stderr, /quote_already_executed/);
  const id = traded.transactionId;
  await operate(`sandbox trigger ${id} deposit`);
  const waiting = run(`transactions wait ${id} --for settled`);
  await operate(`sandbox trigger ${id} settle`);
  const settled = await waiting;
  assert.equal(settled.code, 0, settled.stderr);
  assert.match(settled.stderr, /settled$/m);
  const steps = await data(`transactions timeline ${id}`);
  assert.equal(steps.at(-1).status, 'settled');
  assert.equal((await run(`transactions wait ${id} --for funded`)).code, 3);
  const misspelt = await run(`transactions wait ${id} --for settled,settld`);
  assert.equal(misspelt.code, 2);
  assert.match(misspelt.stderr, /“settld” is no state of a transaction\..*--for takes .*settled/s);
  const pdf = await run(`transactions confirmation ${id} --format pdf --save confirmation.pdf`);
  assert.equal(pdf.code, 0, pdf.stderr);
  assert.equal(readFileSync(join(home.folder, 'confirmation.pdf')).subarray(0, 5).toString(), '%PDF-');
  assert.equal((await run(`transactions confirmation ${id} --format pdf --save confirmation.pdf`)).code, 2);
  assert.match((await run(`transactions confirmation ${id} --format csv`)).stdout, /,PO-1,|PO-1/);
  assert.equal((await operate(`transactions get ${id}`)).customerId?.startsWith('cus_') ?? true, true);
});

test('prices that were not waited for are none', async () => {
  for (const format of ['json', 'table']) {
    const { code, stdout, stderr } = await run(`rates get EUR/USD GBP/USD -o ${format}`, {
      onListener: (listener) => listener(),
    });
    assert.deepEqual([code, stdout, stderr], [130, '', stderr], format);
  }
});

test('a key that is written as a header is the key', async () => {
  const line =
    'api POST /v1/customer/quotes -f sellCurrency=EUR -f buyCurrency=USD -f fixedSide=sell -f amount=6.00';
  const words = [...line.split(' '), '-H', 'idempotency-key: of-a-header'];
  const [first, again] = [await data(words), await data(words)];
  assert.equal(again.quoteId, first.quoteId);
  assert.notEqual((await data([...words, '--idempotency-key', 'of-a-flag'])).quoteId, first.quoteId);
  const { stdout } = await run([...words, '--dry-run']);
  assert.deepEqual(stdout.match(/idempotency-key: [^']*/gi), ['Idempotency-Key: of-a-header']);
});

test('events are listed and followed', async () => {
  const events = await data('events list --types transaction.settled');
  assert.equal(events.at(-1).type, 'transaction.settled');
  const { code, stdout } = await run('events tail --after start --count 2');
  assert.equal(code, 0);
  assert.equal(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).sequence).length,
    2,
  );
});

test('what is followed begins with what is new', async () => {
  const before = (await data('events list --limit 1000')).at(-1).sequence;
  let isOver = false;
  const following = run('events tail --count 1').finally(() => {
    isOver = true;
  });
  while (!isOver) await data(`quotes cancel ${(await data('quote --sell 1000 EUR --buy USD')).quoteId}`);
  const { code, stdout, stderr } = await following;
  assert.equal(code, 0, stderr);
  assert.ok(JSON.parse(stdout).sequence > before, stdout);
});

test('what only begins with a number is no count', async () => {
  for (const line of ['events tail --after start', 'rates watch EURUSD'])
    for (const count of ['2x', '1.5', '1e3', '0']) {
      const { code, stderr } = await run(`${line} --count ${count}`);
      assert.deepEqual([code, /--count must be a whole number/.test(stderr)], [2, true], stderr);
    }
});

test('a list ends where it is told to, and says that there is more', async () => {
  for (let i = 0; i < 3; i++) await data('quote --sell 1000 EUR --buy USD');
  const cut = await run('quotes list --limit 2 -o ndjson');
  assert.equal(cut.stdout.trimEnd().split('\n').length, 2);
  assert.match(cut.stderr, /There are more than 2: --limit/);
  assert.equal((await run('quotes list --limit 2 -o ndjson -q')).stderr, '');
  assert.ok((await data('quotes list --all')).length >= 4);
  const events = await run('events list --limit 2 -o ndjson');
  assert.equal(events.stdout.trimEnd().split('\n').length, 2);
  assert.match(events.stderr, /There are more than 2: --limit/);
  assert.ok((await data('events list --all')).length > 2);
  const filtered = await data('quotes list --status executed --fields quoteId,status');
  assert.deepEqual(new Set(filtered.map(({ status }: { status: string }) => status)), new Set(['executed']));
});

test('a secret is shown once, or goes to a file of its owner', async () => {
  const customer = await operate([
    'customers',
    'create',
    '--name',
    'Initech',
    '--external-reference',
    'crm-7',
  ]);
  const shown = await run(
    `credentials create ${customer.customerId} --name laptop --scopes quotes:read,transactions:read`,
    { env: asOperator },
  );
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stderr, /the only time that the secret is shown/);
  const created = JSON.parse(shown.stdout);
  const file = join(home.folder, 'secret');
  // Below a file there is no folder: no secret is made that nobody would ever see.
  writeFileSync(join(home.folder, 'no-folder'), '');
  const nowhere = join(home.folder, 'no-folder', 'secret');
  const refused = await run(
    `credentials rotate ${customer.customerId} ${created.clientId} --secret-to ${nowhere}`,
    { env: asOperator },
  );
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /secret cannot be written/);
  const rotated = await operate(
    `credentials rotate ${customer.customerId} ${created.clientId} --secret-to ${file}`,
  );
  assert.equal(rotated.clientSecret, undefined);
  assert.equal(statSync(file).mode & 0o077, 0);
  const env = {
    FIRMQUOTE_BASE_URL: service.baseUrl,
    FIRMQUOTE_AUDIENCE: service.sandbox.audience,
    FIRMQUOTE_CLIENT_ID: created.clientId,
    FIRMQUOTE_CLIENT_SECRET_FILE: file,
  };
  assert.deepEqual((await data('whoami', { env })).scopes, ['quotes:read', 'transactions:read']);
  const denied = await run('quote --sell 1 EUR --buy USD', { env });
  assert.equal(denied.code, 4);
  assert.match(denied.stderr, /It needs the scope quotes:write/);
  assert.equal(
    (
      await run(`credentials rotate ${customer.customerId} ${created.clientId} --secret-to ${file}`, {
        env: asOperator,
      })
    ).code,
    2,
  );
  assert.equal(
    (await run(`credentials revoke ${customer.customerId} ${created.clientId}`, { env: asOperator })).code,
    0,
  );
});

test('a statement is imported, and one that is wrong is refused with its reason', async () => {
  const [file] = await operate('sandbox files --limit 1');
  const xml = await run(`sandbox file ${file.fileId}`, { env: asOperator });
  assert.match(xml.stdout, /^<\?xml/);
  writeFileSync(join(home.folder, 'bank.xml'), xml.stdout);
  const imported = await run('statements import bank.xml', { env: asOperator });
  assert.equal(imported.code, 0, imported.stderr);
  // What has moved in several currencies at once the simulated bank tells in one file.
  const statements = xml.stdout.match(/<(Stmt|Ntfctn|Rpt)>/g)?.length ?? 0;
  const found = statements === 1 ? '1 statement' : `${statements} statements`;
  assert.match(imported.stderr, new RegExp(`^bank\\.xml: \\w+, ${found}, \\d+ new entr(y|ies)\\.$`, 'm'));
  const wrong = await run('statements import - --name wrong.xml', { env: asOperator, stdin: '<Document' });
  assert.equal(wrong.code, 3);
  assert.match(wrong.stderr, /statement_refused/);
});

test('a bank file is previewed, also with a mapping that is not kept, and what is wrong with it is said', async () => {
  const mapping = {
    ...{ delimiter: ';', decimalMark: ',', dateFormat: 'DD.MM.YYYY', account: 'A1', currency: 'USD' },
    columns: { bookingDate: 'Day', amount: 'Sum' },
  };
  writeFileSync(join(home.folder, 'mapping.json'), JSON.stringify(mapping, null, 2));
  writeFileSync(join(home.folder, 'bank.csv'), 'Day;Sum\n04.03.2026;7,50\n');
  const command = 'statements preview bank.csv --draft-mapping @mapping.json';
  const read = await run(command, { env: asOperator });
  assert.equal(read.code, 0, read.stderr);
  assert.match(read.stderr, /^bank\.csv: 1 statement, 1 entry, USD \+7\.50 -0\.00\.$/m);
  const { refusal, firstPayments } = JSON.parse(read.stdout);
  assert.deepEqual([refusal, firstPayments[0].amount], [null, '7.50']);
  const wrong = await run('statements preview bank.csv', { env: asOperator });
  assert.equal(wrong.code, 3);
  assert.match(wrong.stderr, /would be refused.*a CSV file needs a mapping/);
  const { items } = await operate('statements list');
  assert.ok(!items?.some(({ name }: { name: string }) => name === 'bank.csv'), 'nothing is kept');
});

test('a statement begins and ends with days, or at instants', async () => {
  const days = await data('transactions statement --from 2026-03-01 --to 2026-04-01');
  assert.deepEqual([days.from, days.to], ['2026-03-01T00:00:00.000Z', '2026-04-01T00:00:00.000Z']);
  const instants = await data('transactions statement --from 2026-03-01T00:00:00Z --to 2026-04-01T00:00:00Z');
  assert.deepEqual([instants.from, instants.to], [days.from, days.to]);
  assert.equal((await run('transactions statement --from 2026-03-01')).code, 0);
  const none = await run('transactions statement');
  assert.deepEqual([none.code, /--from says where the period begins/.test(none.stderr)], [2, true]);
});

test('reports are made and downloaded, and answered at once', async () => {
  const range = '--from 2020-01-01 --to 2020-01-02T00:00:00Z';
  const csv = await run(`reports blotter ${range} --format csv`, { env: asOperator });
  assert.match(csv.stdout, /^executedAt,transactionId,/);
});

test('the books are read down to who makes up a total', async () => {
  await run('reports journal --from 2020-01-01 --format csv', { env: asOperator }).then(({ stdout }) =>
    assert.match(stdout, /^date,bookedAt,entryId,/),
  );
  const [entry] = await operate('ledger entries --kind trade_executed --limit 1');
  const { postings, customerId } = await operate(`ledger entry ${entry.entryId}`);
  // What is owed may be paid by now; the position stays.
  const { currency } = postings.find(({ account }: { account: string }) => account === 'position');
  const owners = await operate(`ledger balances position --currency ${currency}`);
  assert.ok(owners.some((each: { customerId: string }) => each.customerId === customerId));
  const booked = await operate(
    `ledger postings position --customer-id ${customerId} --currency ${currency} --all`,
  );
  assert.ok(booked.some(({ entryId }: { entryId: string }) => entryId === entry.entryId));
  assert.equal((await operate('ledger check')).ok, true);
  assert.ok((await operate('ledger accounts')).items.length > 10);
});

describe('raw requests', () => {
  test('fields are the query of a GET and the body of a POST', async () => {
    const listed = await data('api GET /v1/customer/quotes -f status=executed --paginate');
    assert.ok(listed.length > 0);
    const quote = await data(
      'api POST /v1/customer/quotes -f sellCurrency=EUR -f buyCurrency=USD -f fixedSide=sell -f amount=5.00 -F validitySeconds=30 -f metadata[a]=b',
    );
    assert.deepEqual(quote.metadata, { a: 'b' });
    const moved = await operate('api POST /v1/sandbox/clock --input -', { stdin: '{"advanceSeconds":1}' });
    assert.ok(moved.offsetMs >= 1_000);
  });

  test('-i tells status and headers on stderr', async () => {
    const { stderr } = await run('api GET /healthz -i');
    assert.match(stderr, /^HTTP 200\n.*content-type: application\/json/s);
  });

  test('--dry-run prints a curl line without a secret, and sends nothing', async () => {
    const before = (await data('quotes list --all')).length;
    const { stdout } = await run([
      'quote',
      '--sell',
      '5',
      'EUR',
      '--buy',
      'USD',
      '--ref',
      "it's",
      '--idempotency-key',
      'k-1',
      '--dry-run',
    ]);
    assert.equal(
      stdout,
      `curl -sS -X POST ${service.baseUrl}/v1/customer/quotes -H "Authorization: Bearer $FIRMQUOTE_TOKEN" -H 'Idempotency-Key: k-1' -H 'Content-Type: application/json' -d '{"sellCurrency":"EUR","buyCurrency":"USD","fixedSide":"sell","amount":"5","clientReference":"it'\\''s"}'\n`,
    );
    assert.equal((await data('quotes list --all')).length, before);
    for (const [line, query] of [
      ['events list --limit 7 --types quote.executed', 'types=quote.executed&limit=7'],
      ['events tail', 'after=latest'],
    ] as const) {
      const { code, stdout: line1 } = await run(`${line} --dry-run`);
      const url = `'${service.baseUrl}/v1/customer/events?${query}'`;
      assert.equal(code, 0);
      assert.ok(line1.startsWith('curl -sS ') && line1.replaceAll("'", '').includes(url.slice(1, -1)), line1);
    }
  });

  test('a parameter that is given twice has both values', async () => {
    const statuses = async (query: string) =>
      new Set(
        (await data(`api GET /v1/customer/quotes?${query} --paginate`)).map(
          ({ status }: { status: string }) => status,
        ),
      );
    assert.deepEqual(await statuses('status=executed&status=cancelled'), new Set(['executed', 'cancelled']));
    assert.deepEqual(await statuses('status=executed'), new Set(['executed']));
  });
});

describe('no operation is out of reach', () => {
  test('each has a command of its name', async () => {
    const listed = await data('call --list');
    assert.deepEqual(
      listed.map(({ operation }: { operation: string }) => operation).sort(),
      OPERATIONS.map(({ id }) => id).sort(),
    );
  });

  test('flags, arguments and help are made of the document', async () => {
    const { stdout } = await run('call createQuote --help');
    assert.match(stdout, /Locks a rate for the validity/);
    assert.match(stdout, /--sell-currency <value> +ISO 4217 code/);
    assert.match(stdout, /POST \/v1\/customer\/quotes {3}scope quotes:write/);
    const quote = await data(
      'call createQuote --sell-currency EUR --buy-currency USD --fixed-side sell --amount 5.00 --validity-seconds 30 --metadata {"a":"b"}',
    );
    assert.equal(quote.validitySeconds, 30);
    assert.equal((await data(`call getQuote ${quote.quoteId}`)).metadata.a, 'b');
  });

  test('the stream of the market is that of operators', async () => {
    const child = spawn(process.execPath, [BIN, 'call', 'streamMarketPrices', '--pairs', 'EURUSD'], {
      env: { ...COMPILED, PATH: process.env.PATH ?? '', HOME: home.folder, ...asOperator },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [said, wrong] = ['', ''];
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      wrong += text;
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('"event":"price"')) child.kill('SIGINT');
    });
    const [code] = await once(child, 'close');
    assert.match(said, /"pair":"EURUSD"/, wrong);
    assert.equal(code, 0);
  });

  test('what no command can hold names the one that can', async () => {
    const { code, stdout, stderr } = await run('call openPriceSocket');
    assert.deepEqual([code, stdout], [2, '']);
    assert.match(
      stderr,
      /opens a WebSocket.*\nnext: .*firmquote rates watch EURUSD.*call streamPrices --pairs EURUSD/,
    );
  });

  test('the map of commands is a tree for people and for programs', async () => {
    const tree = (await run('--map')).stdout;
    assert.match(tree, /^ {4}wait <transactionId> +Wait until a transaction reaches a state$/m);
    const map = JSON.parse((await run('--map=json')).stdout) as ReturnType<typeof mapCommand>;
    const quotes = map.commands.find(({ path }) => path === 'firmquote quotes');
    assert.deepEqual(
      quotes?.commands.map(({ path }) => path.split(' ').at(-1)),
      ['list', 'get', 'execute', 'cancel', 'explain'],
    );
  });
});

test('what is exported of a log is verified without the service, and so are proofs', async () => {
  const file = (name: string) => join(home.folder, name);
  const asked = (line: string) => run(line, { env: asOperator });
  writeFileSync(file('keys.json'), (await asked('api GET /.well-known/jwks.json')).stdout);
  await sealAll(service.pool, 'audit');
  assert.equal((await asked('audit export --save first.ndjson')).code, 0);
  const [head] = await operate('audit heads --limit 1');
  const [row] = await operate('audit list --kind change --limit 1');
  assert.equal(row.kind, 'change');
  await operate(['customers', 'create', '--name', 'Logged GmbH']);
  await sealAll(service.pool, 'audit');
  const signed = await operate('audit sign');
  assert.equal((await asked(`audit export --from-size ${head.size} --save second.ndjson`)).code, 0);
  const { code, stdout } = await run(
    'audit verify second.ndjson --keys keys.json --since first.ndjson -o json',
  );
  assert.equal(code, 0, stdout);
  const { ok, log, after, root } = JSON.parse(stdout);
  assert.deepEqual([ok, log, after], [true, 'audit', head.size]);
  assert.equal(root, (await operate('audit heads --limit 1'))[0].root);
  writeFileSync(file('row.json'), (await asked(`audit prove-row --row ${row.number}`)).stdout);
  writeFileSync(file('grown.json'), (await asked(`audit prove-growth --earlier ${head.size}`)).stdout);
  for (const proof of ['row.json', 'grown.json']) {
    const proved = await run(`audit verify ${proof} --keys keys.json`);
    assert.equal(proved.code, 0, proved.stderr);
  }
  assert.ok(signed.size > head.size);

  const first = readFileSync(file('first.ndjson'), 'utf8');
  writeFileSync(file('altered.ndjson'), first.replace('"outcome":"done"', '"outcome":"none"'));
  const altered = await run('audit verify altered.ndjson --keys keys.json');
  assert.equal(altered.code, 1);
  assert.match(altered.stderr, /altered\.ndjson is not what was sealed and signed: altered, at row \d+\./);
  assert.equal(JSON.parse(altered.stdout).fault, 'altered');
  assert.equal((await run('audit verify second.ndjson --since altered.ndjson')).code, 1);
  assert.equal((await run('audit verify first.ndjson --since second.ndjson')).code, 1);
  writeFileSync(file('cut.ndjson'), first.slice(0, -40));
  assert.equal((await run('audit verify cut.ndjson')).code, 1);
  assert.equal((await run('audit verify nowhere.ndjson')).code, 2);
  assert.equal((await run('audit verify first.ndjson --keys first.ndjson')).code, 2);
  const unsigned = await run('audit verify first.ndjson');
  assert.deepEqual([unsigned.code, /signature is not checked/.test(unsigned.stderr)], [0, true]);
});
