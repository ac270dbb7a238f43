import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { camt, txDtls } from '../../bank-formats/src/test-support.ts';
import { lockBalances } from '../src/balances/balances.ts';
import { lockImports } from '../src/bank-statements/statement-store.ts';
import { inTransaction } from '../src/database/pool.ts';
import { uuidOf } from '../src/platform/ids.ts';
import { EURUSD, fieldErrors, refused, startExampleService, succeed } from './support/acceptance.ts';
import { type FourEyes, fourEyes } from './support/four-eyes.ts';
import type { Answer, TestService } from './support/service.ts';
import { untilLocked } from './support/waiting-for-locks.ts';

/** What programs do all the time, and what one person does with their files and prices. */

let service: TestService;
let eyes: FourEyes;

before(async () => {
  service = await startExampleService();
  eyes = await fourEyes(service);
  await eyes.setPolicy();
});

describe('a payment file', () => {
  let withdrawals = 0;

  /** Made by the first person, and let go by the second one. */
  async function made(): Promise<{ runId: string; files: readonly { url: string }[] }> {
    const { customer } = eyes;
    const body = { currency: 'EUR', amount: `${++withdrawals}0.00` };
    const key = { 'Idempotency-Key': `paid out ${withdrawals}` };
    await succeed(201, customer.post('/v1/customer/balances/withdrawals', body, key));
    const order = { currency: 'EUR', valueDate: '2026-03-06' };
    const { approvalId } = await eyes.proposed('POST', '/v1/operator/settlement-runs', order);
    return (await succeed(200, eyes.approve(approvalId))).body.result;
  }

  test('is taken out by another person than the one who made it', async () => {
    const { runId, files } = await made();
    const url = files[0]?.url ?? '';
    await refused('second_person_required', service.operate('GET', url));
    await refused('second_person_required', service.call('GET', url, { token: eyes.alsoFirst }));
    const { body } = await service.operate('GET', `/v1/operator/settlement-runs/${runId}`);
    assert.deepEqual(body.downloads, [], 'nobody has had it');
    const taken = await succeed(200, service.call('GET', url, { token: eyes.second }));
    assert.match(taken.text, /<GrpHdr>|customerId|endToEndId/i);
  });

  test('is sent by another person, or by two', async () => {
    const { runId } = await made();
    const path = `/v1/operator/settlement-runs/${runId}`;
    const before = (await service.operate('GET', path)).body;
    const { approvalId, effects } = await eyes.proposed('POST', `${path}/mark-sent`);
    assert.deepEqual((await service.operate('GET', path)).body, before);
    assert.deepEqual(
      effects.find(({ at }: { at: string }) => at === '/status'),
      { at: '/status', before: 'created', after: 'sent' },
    );
    await refused('second_person_required', eyes.approve(approvalId, eyes.alsoFirst));
    assert.equal((await succeed(200, eyes.approve(approvalId))).body.result.status, 'sent');
    const { operator, secondOperator } = service.sandbox;
    const ended = (await service.operate('GET', path)).body;
    assert.deepEqual(
      [ended.createdBy, ended.endedBy],
      [operator.clientId, secondOperator.clientId],
      'the checker is the one who approved, not the maker who asked',
    );
    const other = `/v1/operator/settlement-runs/${(await made()).runId}/mark-sent`;
    const sent = await succeed(200, service.call('POST', other, { token: eyes.second }));
    assert.equal(sent.body.status, 'sent');
  });

  test('is not sent by its maker, whoever proposes it', async () => {
    const { runId } = await made();
    const path = `/v1/operator/settlement-runs/${runId}`;
    const asked = await eyes.proposed('POST', '/v1/operator/clients', { name: 'nobody answers for it' });
    const { clientId } = (await succeed(200, eyes.approve(asked.approvalId))).body.result;
    await service.database.owner.query('update oauth_clients set responsible = null where id = $1', [
      uuidOf('cli', clientId),
    ]);
    const nobodys = await service.token(clientId, asked.clientSecret);
    const why = { 'Firmquote-Reason': 'it is at the bank' };
    const proposal = await succeed(
      202,
      service.call('POST', `${path}/mark-sent`, { token: nobodys, headers: why }),
    );
    for (const token of [service.operatorToken, eyes.alsoFirst]) {
      const read = service.call('GET', `/v1/operator/approvals/${proposal.body.approvalId}`, { token });
      const { deciding } = (await succeed(200, read)).body;
      assert.deepEqual([deciding.mayApprove, deciding.mayReject, deciding.whyNot], [false, true, 'maker']);
      await refused('second_person_required', eyes.approve(proposal.body.approvalId, token));
    }
    assert.equal((await service.operate('GET', path)).body.status, 'created');
    await succeed(200, eyes.approve(proposal.body.approvalId));
    const { endedBy } = (await service.operate('GET', path)).body;
    assert.equal(endedBy, service.sandbox.secondOperator.clientId);
  });

  test('that somebody took in time is sent by two after its cut-off as well', async () => {
    const { runId, files } = await made();
    const path = `/v1/operator/settlement-runs/${runId}`;
    const { sendBefore } = (await service.operate('GET', path)).body;
    await succeed(200, service.call('GET', files[0]?.url ?? '', { token: eyes.second }));
    const { approvalId, effects } = await eyes.proposed('POST', `${path}/mark-sent`);
    assert.deepEqual(effects, [{ at: '/status', before: 'created', after: 'sent' }]);
    await succeed(200, service.operate('POST', '/v1/sandbox/clock', { now: sendBefore }));
    assert.equal((await succeed(200, eyes.approve(approvalId))).body.result.status, 'sent');
    await succeed(200, service.operate('POST', '/v1/sandbox/clock', { now: '2026-03-04T14:30:00Z' }));
  });

  test('that somebody had is given up by two, and who approved it has ended it', async () => {
    const { runId, files } = await made();
    const path = `/v1/operator/settlement-runs/${runId}`;
    await succeed(200, service.call('GET', files[0]?.url ?? '', { token: eyes.second }));
    const { approvalId } = await eyes.proposed('POST', `${path}/cancel`, { reason: 'the bank has lost it' });
    await succeed(200, eyes.approve(approvalId));
    const { status, endedBy } = (await service.operate('GET', path)).body;
    assert.deepEqual([status, endedBy], ['cancelled', service.sandbox.secondOperator.clientId]);
  });
});

describe('a bank statement', () => {
  const PATH = '/v1/operator/statements';
  let files = 0;
  const upload = (
    content: string,
    token = service.operatorToken,
    why: string | null = 'the bank sent it by mail',
    mapping = '',
  ) =>
    service.call('POST', `${PATH}${mapping === '' ? '' : `?mapping=${mapping}`}`, {
      token,
      body: content,
      headers: {
        'Content-Type': 'application/octet-stream',
        ...(why !== null && { 'Firmquote-Reason': why }),
      },
    });

  /** Money for a trade of the customer, that nobody has seen. */
  async function forged(amount = '100000.00'): Promise<{ content: string; reference: string }> {
    const { body } = await eyes.buyer.trade();
    const opening = '1000000.00';
    const closing = `${1_000_000 + Number.parseInt(amount, 10)}.00`;
    const entry = { amount, reference: `FORGED-${++files}`, details: [txDtls(body.reference)] };
    const content = camt([entry], { opening, closing, account: eyes.usdAccount, number: String(files) });
    return { content, reference: body.reference };
  }

  /** On the account of the file: on others the bank tells what became of the payment files above. */
  async function nothingBooked(): Promise<void> {
    const { rows } = await service.pool.query(
      `select (select count(*)::int from entry_details e join bank_entries b on b.id = e.entry_id where b.account = $1) as entries,
         (select count(*)::int from bank_statements where account = $1) as statements,
         (select count(*)::int from deposits) as deposits`,
      [eyes.usdAccount],
    );
    assert.deepEqual(rows[0], { entries: 0, statements: 0, deposits: 0 });
  }

  test('that a person brings is held with what it would bring, and imported when a second one says so', async () => {
    const { content, reference } = await forged();
    assert.deepEqual(await fieldErrors(upload(content, service.operatorToken, null)), [
      ['/header/Firmquote-Reason', 'required'],
    ]);
    const { body, headers } = await succeed(202, upload(content));
    assert.equal(headers.get('Location'), `/v1/operator/approvals/${body.approvalId}`);
    assert.deepEqual(body.why, ['The policy requires two people.']);
    const shown = new Map(body.effects.map((each: { at: string; after: unknown }) => [each.at, each.after]));
    assert.deepEqual([shown.get('/statements'), shown.get('/entries')], [1, 1]);
    const { from: _, to: __, ...account } = shown.get('/accounts/0') as Record<string, unknown>;
    assert.deepEqual(account, {
      account: eyes.usdAccount,
      currency: 'USD',
      isOwn: true,
      opening: '1000000.00 USD',
      closing: '1100000.00 USD',
      credits: { count: 1, amount: '100000.00' },
      debits: { count: 0, amount: '0.00' },
    });
    const credit = shown.get('/credits/0') as { text: string; customers: string[]; amount: string };
    assert.deepEqual(
      [credit.amount, credit.text, credit.customers],
      ['100000.00', reference, [eyes.buyer.customerId]],
    );
    const { fileId } = body.request;
    assert.equal((await service.operate('GET', `${PATH}/${fileId}`)).body.status, 'held');
    await nothingBooked();
    await refused('already_exists', upload(content));
    await refused('second_person_required', eyes.approve(body.approvalId, eyes.alsoFirst));
    await nothingBooked();
    await succeed(200, eyes.approve(body.approvalId));
    const taken = (await service.operate('GET', `${PATH}/${fileId}`)).body;
    assert.deepEqual([taken.status, taken.statements, taken.newEntries], ['accepted', 1, 1]);
    assert.equal((await upload(content)).status, 200, 'the same bytes again do nothing');
  });

  test('that does not add up is refused whoever brings it', async () => {
    const wrong = camt([{ amount: '5.00' }], { opening: '1.00', closing: '7.00', account: eyes.usdAccount });
    const { body } = await upload(wrong);
    assert.deepEqual([body.code, body.reason], ['statement_refused', 'balance_mismatch']);
    const accept = await eyes.proposed('POST', `${PATH}/${body.fileId}/accept`, { reason: 'by letter' });
    const account = accept.effects.find(({ at }: { at: string }) => at === '/accounts/0').after;
    assert.deepEqual(
      [account.opening, account.closing, account.credits.amount],
      ['1.00 USD', '7.00 USD', '5.00'],
    );
    await succeed(200, eyes.reject(accept.approvalId));
  });

  test('that waited for another import is judged by what the policy says then', async () => {
    await eyes.setPolicy({ statement_import: 'never' }, { rollingHours: 0 });
    const { content } = await forged();
    let uploading: ReturnType<typeof upload> | undefined;
    await inTransaction(service.pool, async (connection) => {
      await lockImports(connection);
      uploading = upload(content);
      await untilLocked(service.pool);
      await eyes.setPolicy();
    });
    assert.ok(uploading);
    const held = await succeed(202, uploading);
    await succeed(200, eyes.reject(held.body.approvalId));
  });

  test('comes in by a program that can do nothing else, and held ones can be deleted', async () => {
    const narrow = { name: 'feed of the bank', scopes: ['operator:statements', 'operator:deposits:read'] };
    const made = await eyes.proposed('POST', '/v1/operator/clients', narrow);
    const { body } = await succeed(200, eyes.approve(made.approvalId));
    const feed = await service.token(body.result.clientId, made.clientSecret);
    const { content } = await forged();
    const held = await succeed(202, upload(content));
    await succeed(200, eyes.reject(held.body.approvalId));
    await succeed(204, service.operate('DELETE', `${PATH}/${held.body.request.fileId}`));
    assert.equal((await upload(content, feed, null)).status, 201);
    // A narrow token of a client that may do more is no such program.
    const again = await forged();
    const proof = await eyes.narrowToken(['operator:statements']);
    const { approvalId } = (await succeed(202, upload(again.content, proof))).body;
    await succeed(200, eyes.reject(approvalId));
    // It goes on when the person who answers for it leaves.
    const { items } = (await service.operate('GET', '/v1/operator/persons')).body;
    const dealer = items.find(({ email }: { email: string }) => email === 'dealer@sandbox.example');
    await service.database.owner.query('update oauth_clients set responsible = $2 where id = $1', [
      uuidOf('cli', body.result.clientId),
      uuidOf('per', dealer.personId),
    ]);
    await succeed(200, service.operate('POST', `/v1/operator/persons/${dealer.personId}/suspend`));
    const { content: later } = await forged();
    await succeed(201, upload(later, feed, null));
  });

  test('is read as two persons have said', async () => {
    const path = '/v1/operator/statement-mappings/ours';
    const mapping = {
      fileNames: ['ours-*.csv'],
      delimiter: ';',
      decimalMark: ',',
      groupMark: '.',
      dateFormat: 'DD.MM.YYYY',
      account: eyes.usdAccount,
      currency: 'USD',
      columns: { bookingDate: 'Datum', amount: 'Betrag', remittance: ['Text'], bankReference: 'Ref' },
    };
    const { approvalId } = await eyes.proposed('PUT', path, mapping);
    assert.equal((await service.operate('GET', path)).status, 404);
    await succeed(200, eyes.approve(approvalId));
    // Another column is another amount.
    const swapped = { ...mapping, columns: { ...mapping.columns, amount: 'Saldo' } };
    const { effects } = await eyes.proposed('PUT', path, swapped);
    assert.deepEqual(effects, [{ at: '/mapping/columns/amount', before: 'Betrag', after: 'Saldo' }]);
  });

  test('is not read in another way than the second person has seen', async () => {
    const path = '/v1/operator/statement-mappings/theirs';
    const columns = { bookingDate: 'Datum', amount: 'Betrag', remittance: ['Text'], bankReference: 'Ref' };
    const mapping = { delimiter: ';', decimalMark: ',', dateFormat: 'DD.MM.YYYY', currency: 'USD', columns };
    const set = async (other: object) => {
      const body = { ...mapping, account: eyes.usdAccount, ...other };
      await succeed(200, eyes.approve((await eyes.proposed('PUT', path, body)).approvalId));
    };
    await set({});
    const csv = 'Datum;Betrag;Saldo;Text;Ref\n05.03.2026;5,00;90000,00;WHOSE;ROW-1\n';
    const { body: held } = await succeed(202, upload(csv, service.operatorToken, 'from the bank', 'theirs'));
    const amounts = (effects: { at: string; after: { amount: string } }[]) =>
      effects.filter(({ at }) => at.startsWith('/credits/')).map(({ after }) => after.amount);
    assert.deepEqual(amounts(held.effects), ['5.00']);
    await set({ columns: { ...columns, amount: 'Saldo' } });
    const outdated = await refused('proposal_outdated', eyes.approve(held.approvalId));
    assert.deepEqual(amounts(outdated.effects), ['90000.00']);
    const { effectsDigest } = outdated;
    await set({});
    await refused('proposal_outdated', eyes.approve(held.approvalId, eyes.second, { effectsDigest }));
    await succeed(200, eyes.approve(held.approvalId));
    const { body } = await service.operate('GET', `${PATH}/${held.request.fileId}/entries`);
    assert.deepEqual(
      body.items.map(({ amount }: { amount: string }) => amount),
      ['5.00'],
    );
  });
});

test('a command that waits for another one is judged by the policy of when it is done', async () => {
  await eyes.setPolicy({ balance_top_up: 'never' });
  const { customerId, path } = eyes.customer;
  const topUp = { currency: 'EUR', amount: '10.00', bankReference: 'WAITED' };
  const reason = { 'Firmquote-Reason': 'they have paid' };
  let under: Promise<Answer> | undefined;
  await inTransaction(service.pool, async (connection) => {
    await lockBalances(connection, [uuidOf('cus', customerId)]);
    under = service.operate('POST', `${path}/balances/top-ups`, topUp, reason);
    await untilLocked(service.pool);
    await eyes.setPolicy();
  });
  assert.ok(under);
  const { body } = await succeed(202, under);
  await succeed(200, eyes.reject(body.approvalId));
});

test('prices are pushed by programs, and by a person only where the policy lets one set them', async () => {
  const path = '/v1/operator/prices';
  const dealer = await eyes.person('approver@sandbox.example');
  const reported = await refused('second_person_required', dealer('POST', path, EURUSD));
  assert.match(reported.detail, /needs two people, and would be stale/);
  const points = { source: 'bank-a', points: [{ pair: 'EURUSD', leg: 'on', bid: '0.1', ask: '0.2' }] };
  await refused('second_person_required', dealer('POST', '/v1/operator/swap-points', points));
  await succeed(200, service.operate('POST', path, EURUSD));
  // A trial would have moved the market.
  const tried = { operationId: 'pushPrices', params: {}, body: EURUSD };
  const dryRun = service.operate('POST', '/v1/operator/four-eyes/dry-run', tried);
  assert.deepEqual(await fieldErrors(dryRun), [['/operationId', 'not_permitted']]);
  await eyes.setPolicy({ pricing: 'never' });
  await succeed(200, dealer('POST', path, EURUSD));
});
