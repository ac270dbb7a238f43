import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS } from '@firmquote/api';
import { JUDGED } from '@firmquote/api/four-eyes';
import { SUGGESTED_COMMANDS } from '@firmquote/api/operations/exceptions';
import { canTransition, TRANSACTION_STATUSES, type TransactionStatus } from '@firmquote/fx';
import { Compile } from 'typebox/schema';
import type { Asked, Given } from '../parts/action.tsx';
import type { PageCommand } from '../parts/page-command.ts';

/** Whether the forms of a page send what the interface takes, under the right that it asks for, when the lifecycle permits it. */

const sent: { readonly method: string; readonly path: string; readonly body: unknown }[] = [];
// The console's client sends to where its page comes from.
Object.assign(globalThis, {
  location: { origin: 'http://console.test' },
  fetch: async (input: string | URL, { method = 'GET', body }: RequestInit = {}) => {
    sent.push({
      method,
      path: new URL(input).pathname,
      body: body === undefined ? undefined : JSON.parse(String(body)),
    });
    return Response.json({});
  },
});
const { EXCEPTION_COMMANDS, commandAt } = await import('./exception-commands.ts');
const { collectionAccountCommand, RELEASE_COLLECTION_ACCOUNT } = await import(
  '../house/collection-commands.ts'
);
const PAYERS = await import('./payer-commands.ts');
const { REMOVE_ADDRESS, SET_ADDRESS } = await import('./address-commands.ts');
const { CREDENTIAL_COMMANDS, PROGRAM_COMMANDS } = await import('../people/client-commands.ts');
const { REVOKE_KEY } = await import('../audit/key-command.ts');
const PAIRS = await import('../pairs/commands.ts');
const { DELETE_FILE } = await import('../statements/file-commands.ts');
const { DELETE_MAPPING, setMapping } = await import('../statements/mapping-commands.ts');
const { SET_CUT_OFF } = await import('../calendars/cut-off-command.ts');
const { RECORD_DEPOSIT } = await import('./deposit-commands.ts');
const { RELEASE_HOLD, TRADE_CHANGES, tradeCommands } = await import('./trade-commands.ts');

const IDS: Readonly<Record<string, string>> = {
  'statement-entries': 'ste_1',
  transactions: 'txn_1',
  withdrawals: 'wdr_1',
  returns: 'dep_1/returns/dpr_1',
  deposits: 'dep_1',
};
const WRITTEN: Readonly<Record<string, string>> = {
  subject: 'txn_1',
  customerId: 'cus_1',
  amount: '10.00',
  currency: 'EUR',
  receivedAt: '2026-03-10T09:30:00Z',
  as: 'ste_2',
  valueDate: '2026-03-10',
  time: '13:30',
  country: 'DE',
  buildingNumber: '12a',
  postBox: '1234',
  postalCode: '10115',
  name: 'house',
  encoding: 'utf-8',
  decimalMark: ',',
  groupMark: 'space',
  dateFormat: 'DD.MM.YYYY',
  linesBefore: '2',
  price: '1.08491',
  ...{ onBid: '0.52', onAsk: '0.58', tnBid: '-0.33', tnAsk: '-0.26' },
  iban: 'DE89370400440532013000',
  accountNumber: '12345678',
  bic: 'DEUTDEFF',
  routingNumber: '021000021',
  holderLei: '5299000J2N45DDNE4Y28',
  roles: 'dealer, viewer',
  expiresAt: '2027-03-02T00:00:00Z',
  ipAllowList: '203.0.113.7\n203.0.113.0/24',
  keys: '{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}',
};

const options = { idempotencyKey: 'once', begunAt: 0, reason: undefined, ifMatch: undefined } as never;

/** Everything that can be chosen in a form, with all of its fields filled in, and with none but those that must be. */
function* waysOf(asks: readonly Asked[]): Generator<Given> {
  const [choice] = asks.filter((each) => each.options !== undefined);
  const chosen = choice === undefined ? [['', '']] : (choice.options as readonly (readonly string[])[]);
  for (const [value = ''] of chosen)
    for (const isFull of [true, false]) {
      const wanted = asks.filter((each) => isFull || each.isOptional !== true);
      const written = wanted.map(({ name }) => [name, WRITTEN[name] ?? 'as written'] as const);
      yield { ...Object.fromEntries(written), ...(choice === undefined ? {} : { [choice.name]: value }) };
    }
}

/** @returns how many ways there are to fill the form in */
async function tryAll<Subject>(
  command: PageCommand<Subject>,
  ids: readonly string[],
  subject: Subject,
  wanted: { readonly path: string; readonly method?: string },
): Promise<number> {
  const { path, method = 'POST' } = wanted;
  const operation = Object.values(OPERATIONS).find(
    (each) =>
      each.method === method &&
      new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '(?:[a-z]+_1|EUR|EURUSD|house)')}$`).test(path),
  );
  assert.ok(operation !== undefined, path);
  assert.equal(operation.access?.scope, command.scope, operation.id);
  // The approver is told why by the command itself, where it has words for that.
  const saysWhy = command
    .asks?.(subject)
    .some((each) => each.name === 'reason' && each.options === undefined);
  assert.equal(command.why, saysWhy ? 'none' : (JUDGED[operation.id]?.kind ?? 'none'), operation.id);
  const body = operation.body && Compile(operation.body);
  let forms = 0;
  for (const given of waysOf(command.asks?.(subject) ?? [])) {
    await command.send(ids, given, options);
    const last = sent.pop();
    assert.deepEqual([last?.method, last?.path], [method, path]);
    assert.ok(
      last?.body === undefined
        ? body === undefined || operation.optionalBody === true
        : body?.Check(last.body) === true,
      `${operation.id} ${JSON.stringify(last?.body)}`,
    );
    forms++;
  }
  return forms;
}

test('each command on an exception sends what the interface takes', async () => {
  let forms = 0;
  for (const [subject, commands] of Object.entries(EXCEPTION_COMMANDS))
    for (const verb of Object.keys(commands)) {
      const base = subject === 'returns' ? 'deposits' : subject;
      const path = `/v1/operator/${base}/${IDS[subject]}/${verb}`;
      const order = { order: 'match', path, body: {} } as const;
      const found = commandAt(order);
      assert.ok(found, path);
      const of = { transactionId: null, customerId: null } as never;
      forms += await tryAll(found.command, found.ids, { of, order }, { path });
    }
  assert.ok(forms > 40, `${forms} ways to fill them in`);
});

test('a form stays that of what it was opened for, when the same can be done with something else next', () => {
  const named = (path: string) =>
    commandAt({ order: 'refund_excess', path: `/v1/operator/${path}`, body: {} })?.name;
  const [first, next] = ['txn_1', 'txn_2'].map((id) => named(`transactions/${id}/refund-excess`));
  assert.ok(first !== undefined && next !== undefined);
  assert.notEqual(first, next);
});

test('a command that the page of an exception does not know is left to others', () => {
  const at = (path: string) =>
    commandAt({ order: SUGGESTED_COMMANDS[0], path: `/v1/operator/${path}`, body: {} });
  for (const path of [
    'deposits/dep_1/match',
    'exceptions/exc_1/resolve',
    'transactions/txn_1/constructor',
    'constructor/x_1/name',
  ])
    assert.equal(at(path), undefined, path);
});

const trade = (status: TransactionStatus) => ({
  ...{ transactionId: 'txn_1', status, holds: [], refund: null },
  settlement: { valueDate: '2026-03-06' } as never,
  funding: { excess: '0.00' } as never,
  payout: { status: 'pending' } as never,
});

test('each command on a trade sends what the interface takes', async () => {
  for (const [name, command] of Object.entries(TRADE_CHANGES)) {
    const verb = name === 'close-out' ? 'unwind' : name;
    const path = `/v1/operator/transactions/txn_1/${verb}`;
    assert.ok((await tryAll(command, ['txn_1'], trade('funded'), { path })) > 0);
  }
  const path = '/v1/operator/transactions/txn_1/holds/hold_1';
  await tryAll(RELEASE_HOLD, ['txn_1', 'hold_1'], undefined, { path, method: 'DELETE' });
});

test('a command is offered where the lifecycle of a trade has what it does', () => {
  const LEADS_TO: readonly (readonly [name: string, to: TransactionStatus])[] = [
    ['settle', 'settling'],
    ['retry-payout', 'settling'],
    ['payout-confirmed', 'settled'],
    ['payout-failed', 'settlement_failed'],
    ['unwind', 'cancelled'],
    ['close-out', 'cancelled'],
  ];
  for (const status of TRANSACTION_STATUSES) {
    const offered = tradeCommands(trade(status)).filter(({ isPossible }) => isPossible);
    for (const [name, to] of LEADS_TO) {
      const isThere = offered.some((each) => each.name === name);
      // One way from each status: paid for the first time, or again; what is overdue has a market price only.
      const other = { settle: 'settlement_failed', 'retry-payout': 'funded', unwind: 'overdue' }[name];
      assert.equal(
        isThere,
        status !== other && canTransition(status, to, 'operator'),
        `${name} of ${status}`,
      );
    }
  }
});

test('a cut-off that a person sets is what the interface takes', async () => {
  const subject = { of: { time: '13:30', zone: 'Europe/London' }, zones: [] };
  const wanted = { path: '/v1/operator/cutoffs/EUR', method: 'PUT' };
  assert.ok((await tryAll(SET_CUT_OFF, ['EUR'], subject, wanted)) > 0);
});

test('a deposit that a person records is what the interface takes', async () => {
  assert.ok((await tryAll(RECORD_DEPOSIT, [], undefined, { path: '/v1/operator/deposits' })) > 0);
});

test('each command on an account that money arrives on sends what the interface takes', async () => {
  const of = { accountHolder: 'The house', rails: ['fedwire'], holderAddress: null, next: null } as never;
  const collection = '/v1/operator/collection-accounts/EUR';
  for (const account of [undefined, of]) {
    const ids = account === undefined ? [] : ['EUR'];
    const wanted = { path: collection, method: 'PUT' };
    assert.ok((await tryAll(collectionAccountCommand(account), ids, undefined, wanted)) > 0);
  }
  const release = { path: `${collection}/release` };
  await tryAll(RELEASE_COLLECTION_ACCOUNT, ['EUR'], undefined, release);
  const customer = '/v1/operator/customers/cus_1';
  const virtual = `${customer}/virtual-accounts`;
  for (const [command, ids, path, method] of [
    [PAYERS.ADD_VIRTUAL_ACCOUNT, ['cus_1'], virtual, 'POST'],
    [PAYERS.RELEASE_VIRTUAL_ACCOUNT, ['cus_1', 'vac_1'], `${virtual}/vac_1/release`, 'POST'],
    [PAYERS.CLOSE_VIRTUAL_ACCOUNT, ['cus_1', 'vac_1'], `${virtual}/vac_1`, 'DELETE'],
    [PAYERS.FORGET_REMITTER, ['cus_1', 'rem_1'], `${customer}/remitters/rem_1`, 'DELETE'],
  ] as const)
    await tryAll(command, ids, undefined, { path, method });
});

test('an account that waits is what its form goes on from, and an address that nobody has touched goes back as it came', async () => {
  const holderAddress = { townName: 'London', country: 'GB' };
  const account = { accountHolder: 'The house', rails: [], holderAddress: null, iban: 'GB1' };
  const next = { ...account, iban: 'GB2', holderAddress };
  const command = collectionAccountCommand({ ...account, next } as never);
  const asked = command.asks?.(undefined) ?? [];
  assert.equal(asked.find(({ name }) => name === 'iban')?.initial, 'GB2');
  const shown = Object.fromEntries(asked.map(({ name, initial = '' }) => [name, initial]));
  const sentAddress = async (given: Given) => {
    await command.send(['EUR'], { ...shown, ...given }, options);
    return (sent.pop()?.body as { holderAddress?: object } | undefined)?.holderAddress;
  };
  assert.deepEqual(await sentAddress({}), holderAddress);
  assert.deepEqual(await sentAddress({ townName: 'Leeds' }), { ...holderAddress, townName: 'Leeds' });
  assert.equal(await sentAddress({ townName: ' ', country: '' }), null);
});

test('each command on a pair sends what the interface takes', async () => {
  const settings = {
    ...{ pair: 'EURUSD', enabled: true, stalenessMs: 5_000, composite: 'best', priority: [] },
    ...{ lockedPrices: 'accept', outlierBps: null, jumpTicks: 3, jumpMs: 2_000, frozenMs: null },
    ...{ deviationBps: null, agreementMs: 5_000, maxWidthBps: '50.00', bandBps: '300.00' },
    ...{ referenceBps: '1000.00', ownLimits: ['bandBps'], classLimits: {} },
  } as never;
  const path = '/v1/operator/pairs/EURUSD';
  for (const command of [PAIRS.suspendPair(settings), PAIRS.resumePair(settings)])
    await tryAll(command, ['EURUSD'], undefined, { path, method: 'PUT' });
  await tryAll(PAIRS.ACCEPT_PRICE, ['EURUSD'], undefined, { path: `${path}/accepted-prices` });
  const points = { path: '/v1/operator/swap-points/EURUSD', method: 'PUT' };
  await tryAll(PAIRS.SET_SWAP_POINTS, ['EURUSD'], { set: null, tradeDate: '2026-03-06' }, points);
});

test('points that have lapsed stand in no field of those that are set', () => {
  const on = { bid: '0.52', ask: '0.58' };
  const set = { on, tn: null, tradeDate: '2026-03-05', source: 'desk' } as never;
  const initial = (tradeDate: string) =>
    PAIRS.SET_SWAP_POINTS.asks?.({ set, tradeDate }).map(({ initial = '' }) => initial);
  assert.deepEqual(initial('2026-03-05'), ['0.52', '0.58', '', '', 'desk', '']);
  assert.deepEqual(initial('2026-03-06'), ['', '', '', '', '', '']);
});

test('each command on a mapping of CSV files sends what the interface takes, and a name is taken once', async () => {
  const path = '/v1/operator/statement-mappings/house';
  assert.ok((await tryAll(setMapping(undefined, []), [], undefined, { path, method: 'PUT' })) > 0);
  const file = { path: '/v1/operator/statements/stf_1', method: 'DELETE' };
  await tryAll(DELETE_FILE, ['stf_1'], undefined, file);
  await tryAll(DELETE_MAPPING, ['house'], undefined, { path, method: 'DELETE' });
  const [name] = setMapping(undefined, ['house']).asks?.(undefined) ?? [];
  assert.deepEqual(
    ['house', 'House', 'bank-2'].map((given) => name?.check?.(given) !== undefined),
    [true, true, false],
  );
});

test('a mapping that nobody has touched goes back as it came', async () => {
  const mapping = {
    ...{ fileNames: ['a, b*.csv', 'c.csv'], delimiter: '\t', decimalMark: ',', groupMark: ' ' },
    ...{ encoding: 'iso-8859-15', dateFormat: 'YYYYMMDD', linesBefore: 3, currency: 'EUR' },
    columns: {
      bookingDate: 'Day',
      amount: 'Sum',
      direction: 'C/D',
      account: 'IBAN',
      remittance: ['A, B', 'C'],
    },
    ...{ creditWords: ['C'], debitWords: ['D', 'RD'] },
  } as const;
  const command = setMapping({ name: 'house', version: 3, mapping, updatedAt: '' } as never, []);
  const given = command.asks?.(undefined).map(({ name, initial = '' }) => [name, initial] as const) ?? [];
  await command.send(['house'], Object.fromEntries(given), options);
  assert.deepEqual(sent.pop()?.body, mapping);
});

test('an address of a customer, and a key that is revoked, are what the interface takes', async () => {
  const path = '/v1/operator/customers/cus_1/postal-address';
  for (const known of [null, { townName: 'Berlin', country: 'DE' }])
    await tryAll(SET_ADDRESS, ['cus_1'], known, { path, method: 'PUT' });
  await tryAll(REMOVE_ADDRESS, ['cus_1'], undefined, { path, method: 'PUT' });
  await tryAll(REVOKE_KEY, ['key_1'], undefined, { path: '/v1/operator/keys/key_1/revoke' });
});

test('an address that nobody has touched goes back as it came', async () => {
  const of = { streetName: 'Hauptstr.', postalCode: '10115', townName: 'Berlin', country: 'DE' };
  const lines = { addressLines: ['c/o Acme', 'Floor 3'], townName: 'London', country: 'GB' };
  for (const postalAddress of [of, lines]) {
    const given = SET_ADDRESS.asks?.(postalAddress).map(({ name, initial = '' }) => [name, initial] as const);
    await SET_ADDRESS.send(['cus_1'], Object.fromEntries(given ?? []), options);
    assert.deepEqual(sent.pop()?.body, { postalAddress });
  }
});

const PROGRAM = {
  ...{ clientId: 'cli_1', name: 'till', status: 'active', scopes: [], audiences: [], roles: ['dealer'] },
  ...{ ipAllowList: ['203.0.113.7', '2001:db8::/32'], keys: [], responsible: null },
  secrets: [{ secretId: 'key_1', createdAt: '2026-03-02T14:30:00.123Z', expiresAt: null }],
  ...{
    expiresAt: '2027-01-01T00:00:00Z',
    dpopBoundTokens: false,
    lastUsedAt: null,
    createdAt: '',
    updatedAt: '',
  },
} as never;

test('each command on a program sends what the interface takes', async () => {
  const WAYS = {
    replaceSecret: ['POST', '/secrets'],
    revokeSecret: ['DELETE', '/secrets/key_1'],
    setAddresses: ['PUT', '/ip-allow-list'],
    setKeys: ['PUT', '/keys'],
    removeKeys: ['PUT', '/keys'],
    suspend: ['POST', '/suspend'],
    resume: ['POST', '/resume'],
    revokeTokens: ['POST', '/revoke-tokens'],
    revoke: ['DELETE', ''],
    change: ['PATCH', ''],
  } as const;
  for (const [commands, ids, path] of [
    [CREDENTIAL_COMMANDS, ['cus_1', 'cli_1'], '/v1/operator/customers/cus_1/credentials/cli_1'],
    [PROGRAM_COMMANDS, ['cli_1'], '/v1/operator/clients/cli_1'],
  ] as const) {
    const all = { ...commands, change: commands.change(PROGRAM) };
    assert.deepEqual(Object.keys(all).sort(), Object.keys(WAYS).sort());
    for (const [name, [method, end]] of Object.entries(WAYS)) {
      const command: PageCommand<never> = all[name as keyof typeof all];
      await tryAll(command, ids, PROGRAM, {
        path: `${path}${end}`,
        method,
      });
    }
  }
});

test('of a program that nobody has touched nothing but its name goes back, and what was taken away is', async () => {
  const change = PROGRAM_COMMANDS.change(PROGRAM);
  const given = Object.fromEntries(
    change.asks?.(PROGRAM).map(({ name, initial = '' }) => [name, initial] as const) ?? [],
  );
  const changed = async (more: Given) => {
    await change.send(['cli_1'], { ...given, ...more }, options);
    return sent.pop()?.body;
  };
  assert.deepEqual(await changed({}), { name: 'till' });
  assert.deepEqual(await changed({ roles: ' ', expiresAt: '' }), {
    name: 'till',
    roles: [],
    expiresAt: null,
  });
  const [addresses] = PROGRAM_COMMANDS.setAddresses.asks(PROGRAM);
  const listed = async (ipAllowList: string) => {
    await PROGRAM_COMMANDS.setAddresses.send(['cli_1'], { ipAllowList }, options);
    return sent.pop()?.body;
  };
  assert.deepEqual(await listed(addresses?.initial ?? ''), { ipAllowList: ['203.0.113.7', '2001:db8::/32'] });
  assert.deepEqual(await listed(' \n'), { ipAllowList: [] });
});

test('public keys are pasted as one, several or a set, and nothing else is taken for them', async () => {
  const [field] = CREDENTIAL_COMMANDS.setKeys.asks();
  const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' };
  for (const [written, keys] of [
    [key, [key]],
    [
      [key, key],
      [key, key],
    ],
    [{ keys: [key] }, [key]],
  ]) {
    const text = JSON.stringify(written);
    assert.equal(field?.check(text), undefined);
    await CREDENTIAL_COMMANDS.setKeys.send(['cus_1', 'cli_1'], { keys: text }, options);
    assert.deepEqual(sent.pop()?.body, { keys });
  }
  for (const written of ['ssh-ed25519 AAAA', '{}', '[]', '{"keys":[]}', '[1]', 'null'])
    assert.notEqual(field?.check(written), undefined, written);
});
