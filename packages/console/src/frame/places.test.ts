import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { test } from 'node:test';
import { OPERATIONS, type Operation } from '@firmquote/api';
import { BUILT_IN_ROLES } from '@firmquote/api/roles';
import { OPERATOR_SCOPES, sufficientScopes } from '@firmquote/api/scopes';
import { ENOUGH, may, mayRead, type Reading } from '../api/rights.ts';
import { mayGo, PLACES, placesOf } from './places.ts';

/**
 * Banks make roles of their own: what is offered to one is what the service lets it do. Which operations a page calls is read from its
 * source, and what each takes from the interface.
 */

const ROOT = resolve(import.meta.dirname, '..');
const CALL = /\boperator\s*\.(\w+)\(/g;

const operations = new Map(Object.values(OPERATIONS).map((each): [string, Operation] => [each.id, each]));

/** Every right alone, and the roles that are built in. */
const ROLES: readonly (readonly [name: string, scopes: readonly string[]])[] = [
  ...Object.keys(OPERATOR_SCOPES).map((scope) => [scope, [scope]] as const),
  ...Object.entries(BUILT_IN_ROLES).map(([role, { scopes }]) => [role, scopes] as const),
];

/** Whether the service lets these rights call it. */
function mayCall(scopes: readonly string[], id: string): boolean {
  const operation = operations.get(id);
  assert.ok(operation, id);
  const enough = sufficientScopes(operation);
  return enough.length === 0 || enough.includes('operator:self') || may({ scopes }, ...enough);
}

const texts = new Map(
  readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts'))
    .map((path) => [join(ROOT, path), readFileSync(join(ROOT, path), 'utf8')]),
);

const textOf = (path: string) => texts.get(path) ?? '';

/** A file and what it is made of, without the frame and the parts that all pages share. */
function sourcesOf(path: string, known = new Set<string>()): ReadonlySet<string> {
  if (known.has(path) || /\/(frame|parts|api|prices|ticket)\//.test(path)) return known;
  known.add(path);
  for (const [, to = ''] of textOf(path).matchAll(/from '(\.{1,2}\/[^']+)'/g))
    sourcesOf(resolve(dirname(path), to), known);
  return known;
}

/** By the address of a page, the files that make it; those of its single things belong to it. */
function filesOf(place: string): readonly string[] {
  const router = texts.get(join(ROOT, 'router.tsx')) ?? '';
  const routes = router.matchAll(
    /path: '([^']+)',\s+component: lazyRouteComponent\(\(\) => import\('\.\/([^']+)'\)/g,
  );
  const own = [...routes].filter(([, path = '']) => path === place || path.startsWith(`${place}/`));
  assert.ok(own.length > 0, place);
  return [...new Set(own.flatMap(([, , file = '']) => [...sourcesOf(join(ROOT, file))]))];
}

function callsOf(path: string): readonly string[] {
  return [...textOf(path).matchAll(CALL)].flatMap(([, id = '']) => (operations.has(id) ? [id] : []));
}

/** What a page reads; what changes something has a form that says which right it takes. */
function readingsOf(place: string): ReadonlyMap<string, string> {
  const found = filesOf(place).flatMap((file) => callsOf(file).map((id) => [id, file] as const));
  return new Map(found.filter(([id]) => operations.get(id)?.method === 'GET'));
}

test('the rights to read are those of the interface', () => {
  for (const [id, enough] of Object.entries(ENOUGH)) {
    const operation = operations.get(id);
    assert.ok(operation, `${id} is an operation`);
    assert.deepEqual([...enough].sort(), [...sufficientScopes(operation)].sort(), id);
  }
});

test('a page is offered for something that it reads', () => {
  // The frame reads it for all pages.
  const OF_THE_FRAME: readonly string[] = ['streamMarketPrices'];
  for (const { to, reads } of PLACES)
    for (const reading of reads)
      assert.ok(readingsOf(to).has(reading) || OF_THE_FRAME.includes(reading), `${to} calls ${reading}`);
});

/** Whether these files ask for a right before they read something: for the reading, or for another one that takes no less. */
function askFor(files: readonly string[], id: string): boolean {
  const enough = sufficientScopes(operations.get(id) as Operation);
  const texts = files.map(textOf).join();
  const isNamed = (name: string) => new RegExp(`['"]${name}['"]`).test(texts);
  // A form names what it takes, too, and asks nobody.
  const isAsked = (scope: string) => new RegExp(`\\bmay\\((?:[^()]|\\(\\))*'${scope}'`).test(texts);
  const alike = Object.entries(ENOUGH).filter(([, scopes]) =>
    scopes.every((scope) => enough.includes(scope)),
  );
  return enough.some(isAsked) || alike.some(([reading]) => isNamed(reading));
}

test('whoever is offered a page may read all of it, or the page asks before it reads the rest', () => {
  const refused = ROLES.flatMap(([name, scopes]) =>
    placesOf({ scopes }).flatMap(({ to }) =>
      [...readingsOf(to)].flatMap(([id, file]) =>
        mayCall(scopes, id) || askFor(filesOf(to), id)
          ? []
          : [`${name}: ${to} calls ${id} in ${file.slice(ROOT.length + 1)}`],
      ),
    ),
  );
  assert.deepEqual(refused, []);
});

/** What a right alone does not lead to: it stands on the page of something that the right does not read. */
const WITHOUT_PAGE: Readonly<Record<string, string>> = {
  'operator:credentials: listCredentials': 'on the page of a customer',
  'operator:deposits: listRemitters': 'on the page of a customer',
  'operator:deposits: listVirtualAccounts': 'on the page of a customer',
  'operator:deposits:read: listRemitters': 'on the page of a customer',
  'operator:deposits:read: listVirtualAccounts': 'on the page of a customer',
  'operator:limits: getCustomerLimits': 'on the page of a customer',
  'operator:limits: getLimitUsage': 'on the page of a customer',
  'operator:payouts: getCustomerBalances': 'on the page of a customer',
  'operator:payouts: listAllWithdrawals': 'on the page of a customer',
  'operator:payouts: listTopUps': 'on the page of a customer',
  'operator:prices: getSwapPoints': 'on the page of a pair',
  'operator:prices: listSwapPointVersions': 'on the page of a pair',
  'operator:pricing:read: getCustomerLimits': 'on the page of a customer',
  'operator:pricing:read: getLimitUsage': 'on the page of a customer',
  'operator:settlement-instructions: getPostalAddress': 'on the page of a customer',
  'operator:settlement-instructions: listSettlementInstructions': 'on the page of a customer',
  'operator:statements: getStatementEntry': 'on the page of an exception',
  'operator:trades: listCustomerPrices': 'beside those of the market',
  'operator:transactions: explainAnyQuote': 'on the page of a quote; that of its transaction has it too',
  'operator:transactions:read: getCustomerBalances': 'on the page of a customer',
  'operator:transactions:read: getCustomerStatement': 'on the page of a customer',
  'operator:transactions:read: listAllWithdrawals': 'on the page of a customer',
  'operator:transactions:read: listTopUps': 'on the page of a customer',
};

test('what somebody may read and a page shows has a page that is offered', () => {
  const shown = new Map(PLACES.map(({ to }) => [to, readingsOf(to)] as const));
  const all = new Set([...shown.values()].flatMap((readings) => [...readings.keys()]));
  const unreachable = ROLES.flatMap(([name, scopes]) => {
    const offered = placesOf({ scopes });
    return [...all]
      .filter((id) => mayCall(scopes, id) && !offered.some(({ to }) => shown.get(to)?.has(id)))
      .map((id) => `${name}: ${id}`);
  });
  assert.deepEqual(unreachable.sort(), Object.keys(WITHOUT_PAGE).sort());
});

test('a page of one thing is open to whoever may read it, and to nobody else', () => {
  const ONES: readonly (readonly [address: string, reading: Reading])[] = [
    ['/quotes/quote_1', 'getAnyQuote'],
    ['/transactions/txn_1', 'getAnyTransaction'],
    ['/exceptions/exc_1', 'getException'],
    ['/customers/cus_1', 'getCustomer'],
    ['/health/EURUSD', 'getPairSettings'],
    ['/webhooks/whk_1', 'getOperatorWebhook'],
    ['/deposits?deposit=dep_1', 'getDeposit'],
    ['/approvals?approval=apr_1', 'getApproval'],
    ['/payments?run=run_1', 'getSettlementRun'],
    ['/statements?file=stf_1', 'getStatementFile'],
  ];
  for (const [name, scopes] of ROLES)
    for (const [address, reading] of ONES)
      assert.equal(mayGo({ scopes }, address), mayRead({ scopes }, reading), `${name}: ${address}`);
});

test('what leads to another page, or to a file, asks whether somebody may have it', () => {
  const sources = [...texts].filter(([path]) => path.endsWith('.tsx'));
  const elsewhere = (pattern: RegExp, except: readonly string[]) =>
    sources
      .filter(([path]) => !except.some((each) => path.endsWith(each)))
      .flatMap(([path, text]) =>
        [...text.matchAll(pattern)].map(([tag]) => `${path.slice(ROOT.length + 1)}: ${tag}`),
      );
  // Within a page, beside the navigation.
  assert.deepEqual(
    elsewhere(/<Link\b(?![^>]*to="\.")[^>]*>?/g, ['frame/navigation.tsx', 'parts/way.tsx']),
    [],
  );
  assert.deepEqual(elsewhere(/\bdownload(?=[=>\s])[^;]*?>/g, ['parts/download-link.tsx']), []);
  assert.deepEqual(
    elsewhere(/\bmay\([^)]*:read'[^)]*\)/g, []),
    [],
    'what reads is asked for by its operation',
  );
});
