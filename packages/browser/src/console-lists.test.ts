import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownerOf } from '../../service/test/support/database.ts';
import type { ConsolePage } from './chromium.ts';
import { arrived, dealtByCustomer, faultsOfAccess, LIMIT_MS, openFloor } from './test-support.ts';

/** Lists of ten thousand rows: whoever works through one sees all of it, and the page stays as quick as with fifty. */

const { skip, service, signIn } = await openFloor();
const ROWS = 10_000;
const PAGE = 50;
/** What is on a page at once. */
const SHOWN_MAX = 200;
const NODES_MAX = 10_000;
/**
 * Of the page's processor, for all that follows a press or a key, against what the same machine takes for a plain table of as many rows as are
 * on the page. It is the middle one of several: any single one may be where memory is cleared up, or where the machine does something else.
 */
const STEP_LIMIT = 12;
const KEYS = 'RF001';

const middle = (steps: readonly number[]) =>
  steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? Number.NaN;

/** Writes the one row of a table again, each time as another one. */
async function multiply(table: string, changes: string): Promise<void> {
  assert.ok(service !== undefined);
  const connection = await ownerOf(service.pool).connect();
  try {
    // Rows alone: what triggers keep of them is not looked at here.
    await connection.query('set session_replication_role = replica');
    await connection.query(
      `insert into ${table} select made.* from (select * from ${table} limit 1) one, generate_series(1, ${ROWS - 1}) n,
       lateral jsonb_populate_record(null::${table}, to_jsonb(one) || jsonb_build_object(${changes})) made`,
    );
    await connection.query(`analyze ${table}`);
  } finally {
    await connection.query('reset session_replication_role');
    connection.release();
  }
}

/** Of the page's main thread, which neighbours on the machine do not slow down, ms. */
async function meter(page: ConsolePage) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async () => {
    const { metrics } = (await session.send('Performance.getMetrics')) as {
      metrics: readonly { name: string; value: number }[];
    };
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1_000;
  };
  let last = await read();
  return async (work: () => Promise<unknown>): Promise<number> => {
    await work();
    const before = last;
    last = await read();
    return last - before;
  };
}

/** What this machine takes at the moment to lay out a plain table, ms: the limit of a step moves with it. */
async function plainTable(spent: (work: () => Promise<unknown>) => Promise<number>, page: ConsolePage) {
  const layOut = `(() => {
    const table = document.createElement('table');
    for (let row = 0; row < ${SHOWN_MAX}; row++)
      for (let cell = 0, line = table.insertRow(); cell < 8; cell++)
        line.insertCell().append(Object.assign(document.createElement('span'), { textContent: row + ' of ' + cell }));
    document.body.append(table);
    const height = table.offsetHeight;
    table.remove();
    return height;
  })()`;
  const times: number[] = [];
  for (let round = 0; round < 15; round++) times.push(await spent(() => page.evaluate(layOut)));
  return middle(times);
}

const row = (index: number) => `tbody tr[aria-rowindex="${index}"]`;
/** Where a row is in the window, or undefined where it is not on the page, px. */
const topOf = (page: ConsolePage, index: number) =>
  page.evaluate(`document.querySelector('${row(index)}')?.getBoundingClientRect().top`) as Promise<
    number | undefined
  >;
/** Presses the button that has the focus, and waits for a row. */
async function press(page: ConsolePage, awaited: number): Promise<void> {
  await page.keyboard.press('Enter');
  await page.locator(row(awaited)).waitFor({ state: 'attached' });
}
const focused = (page: ConsolePage) => page.evaluate('document.activeElement.textContent');
const focus = (page: ConsolePage, name: string) =>
  page.evaluate(
    `[...document.querySelectorAll('.more button')].find((each) => each.textContent === '${name}').focus()`,
  );
const nodesOf = (page: ConsolePage) =>
  page.evaluate(`document.querySelectorAll('*').length`) as Promise<number>;

const nth = (kind: string) => `('000${kind}0000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;

test('ten thousand transactions are read to the last by one key, and the page stays small and quick', {
  skip,
  timeout: LIMIT_MS,
}, async (t) => {
  await service?.operate('POST', '/v1/sandbox/bank', { autoDeposit: false });
  await dealtByCustomer(service, '1000.00');
  await arrived(service, '12.00', { remitterName: 'Somebody' });
  // A trade says its rate by its quote, and a quote by its trade that it was executed.
  await multiply('quotes', `'id', ${nth('b')}`);
  await multiply(
    'transactions',
    `'id', ${nth('a')}, 'quote_id', ${nth('b')}, 'reference', 'RF00' || lpad(n::text, 12, '0'),
     'created_at', one.created_at - n * interval '1 minute', 'created_sequence', n + 10, 'change_sequence', n + 10`,
  );
  const { page, faults, at } = await signIn('Olu Operations', { viewport: { width: 1440, height: 900 } });
  await page.goto(at('/console/transactions'));
  await page.locator('text=Rows 1 to 50').waitFor();
  const spent = await meter(page);
  await focus(page, 'Show more');
  const presses: number[] = [];
  // The first row is the one of the heads.
  for (let shown = PAGE; shown < ROWS; shown += PAGE) presses.push(await spent(() => press(page, shown + 2)));
  await page.locator('text=Rows 9,801 to 10,000, that is all').waitFor();
  assert.equal(await page.locator(row(ROWS + 1)).count(), 1);
  assert.equal(
    await page.evaluate('document.activeElement.ariaLabel'),
    'Transactions',
    'the focus stays in the list',
  );
  const top = (await topOf(page, ROWS + 1 - PAGE)) ?? -1;
  assert.ok(top >= 0 && top <= 900, `the rows that were asked for are in sight: ${top}`);
  assert.equal(await page.locator('tbody tr').count(), SHOWN_MAX);
  assert.equal(await page.evaluate(`document.querySelector('table.cards').ariaRowCount`), String(ROWS + 1));
  const nodes = await nodesOf(page);
  assert.ok(nodes < NODES_MAX, `${nodes} nodes`);
  await spent(() => page.getByLabel('Payment reference').click());
  const keys: number[] = [];
  for (const key of KEYS) keys.push(await spent(() => page.keyboard.press(key)));
  // With all that was read before them, which must not make them slower.
  const last = presses.slice(-presses.length / 4);
  const plain = await plainTable(spent, page);
  t.diagnostic(
    `${nodes} nodes; ${middle(last).toFixed(0)} ms for fifty rows, ${Math.max(...presses).toFixed(0)} at most; ${middle(keys).toFixed(0)} ms for a key; ${plain.toFixed(0)} ms for a plain table`,
  );
  assert.ok(middle(last) < STEP_LIMIT * plain, `${middle(last)} ms for a press, ${plain} for a plain table`);
  assert.ok(middle(keys) < STEP_LIMIT * plain, `${middle(keys)} ms for a key, ${plain} for a plain table`);

  // And back: the row that is looked at stays where it is, whatever comes and goes above it.
  await page.goto(at('/console/transactions'));
  await page.locator('text=Rows 1 to 50').waitFor();
  await focus(page, 'Show more');
  for (let shown = PAGE; shown < SHOWN_MAX + PAGE; shown += PAGE) {
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    const held = await topOf(page, shown + 1);
    await press(page, shown + 2);
    assert.equal(await focused(page), 'Show more');
    assert.ok(Math.abs(((await topOf(page, shown + 1)) ?? 0) - (held ?? 0)) <= 1, `row ${shown} has moved`);
  }
  assert.equal(await topOf(page, 2), undefined);
  assert.deepEqual(await faultsOfAccess(page), []);
  await page.evaluate('scrollTo(0, 0)');
  await focus(page, 'Show earlier');
  const held = await topOf(page, PAGE + 2);
  await press(page, 2);
  assert.ok(Math.abs(((await topOf(page, PAGE + 2)) ?? 0) - (held ?? 0)) <= 1, 'it has moved');
  await page.locator('text=Rows 1 to 200').waitFor();
  assert.deepEqual(faults, []);
  await page.context().close();
});

test('quotes, deposits, exceptions and the audit stay as small', { skip, timeout: LIMIT_MS }, async (t) => {
  await multiply('quotes', `'id', ${nth('c')}, 'status', 'cancelled', 'closed_at', one.created_at`);
  await multiply('deposits', `'id', ${nth('d')}, 'bank_reference', 'B' || n, 'fingerprint', md5(n::text)`);
  await multiply('reconciliation_exceptions', `'id', ${nth('e')}, 'deposit_id', ${nth('d')}`);
  await multiply('audit_log', `'number', 1000000 + n`);
  const { page, faults, at } = await signIn('Ada Approver');
  for (const list of ['quotes', 'deposits', 'exceptions', 'audit']) {
    await page.goto(at(`/console/${list}`));
    await page.locator('text=Rows 1 to 50').waitFor();
    const spent = await meter(page);
    await focus(page, 'Show more');
    const presses: number[] = [];
    for (let shown = PAGE; shown < 2 * SHOWN_MAX; shown += PAGE)
      presses.push(await spent(() => press(page, shown + 2)));
    assert.equal(await page.locator('tbody tr').count(), SHOWN_MAX);
    const nodes = await nodesOf(page);
    const plain = await plainTable(spent, page);
    const told = `${list}: ${nodes} nodes, ${middle(presses).toFixed(0)} ms for fifty rows, ${plain.toFixed(0)} for a plain table`;
    t.diagnostic(told);
    assert.ok(nodes < NODES_MAX, told);
    assert.ok(middle(presses) < STEP_LIMIT * plain, told);
    await focus(page, 'Back to the first');
    await press(page, 2);
    await page.locator('text=Rows 1 to 50').waitFor();
    assert.equal(await page.evaluate(`document.activeElement.className`), 'table-box');
  }
  assert.deepEqual(faults, []);
  await page.context().close();
});
