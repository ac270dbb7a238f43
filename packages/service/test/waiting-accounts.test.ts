import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { endWaits } from '../src/customers/account-store.ts';
import { moveClock, refused, startExampleService, succeed } from './support/acceptance.ts';
import { type FourEyes, fourEyes } from './support/four-eyes.ts';
import type { Answer, TestService } from './support/service.ts';

/** Customers are told to pay to another account of the house when it has waited, or when two persons have released it. */

const HOUSE = '/v1/operator/collection-accounts';
const HOURS = 24;
const WAIT_SECONDS = HOURS * 3_600;

let service: TestService;
let eyes: FourEyes;

before(async () => {
  service = await startExampleService();
  eyes = await fourEyes(service);
  await eyes.setPolicy({}, { accountWaitHours: HOURS });
});

const account = (accountNumber: string) => ({
  accountHolder: 'House',
  bankName: 'Another Bank',
  accountNumber,
  routingNumber: '021000021',
});

/** What two persons do. */
async function byTwo(method: string, path: string, body?: unknown): Promise<Answer['body']> {
  const { approvalId } = await eyes.proposed(method, path, body);
  return (await succeed(200, eyes.approve(approvalId))).body.result;
}

async function kept(currency = 'USD'): Promise<Answer['body']> {
  const { items } = (await succeed(200, service.operate('GET', HOUSE))).body;
  return items.find((each: { currency: string }) => each.currency === currency);
}

/** Number that a trade asks its customer to pay to. */
async function payTo(transactionId?: string): Promise<string> {
  const { body } =
    transactionId === undefined
      ? await eyes.buyer.trade()
      : await eyes.buyer.get(`/v1/customer/transactions/${transactionId}`);
  return body.funding.instructions.accountNumber;
}

describe('another account of the house', () => {
  test('waits beside the one in use, which trades go on to name', async () => {
    const former = await kept();
    const earlier = (await eyes.buyer.trade()).body.transactionId as string;
    const { approvalId, effects } = await eyes.proposed('PUT', `${HOUSE}/USD`, account('111111'));
    const changes = Object.fromEntries(
      effects.map((each: { at: string; before: unknown; after: unknown }) => [
        each.at,
        [each.before, each.after],
      ]),
    );
    assert.deepEqual(changes['/accountNumber'], [former.accountNumber, '111111']);
    assert.deepEqual(changes['/usableFrom'], [null, '(new)']);
    const { result } = (await succeed(200, eyes.approve(approvalId))).body;
    assert.deepEqual([result.accountNumber, result.next.accountNumber], [former.accountNumber, '111111']);
    assert.deepEqual({ ...(await kept()), next: null }, { ...former, next: null });
    assert.equal(await payTo(), former.accountNumber);
    // Asked for again it waits no longer, and another one begins to wait.
    await moveClock(service, { advanceSeconds: 3_600 });
    const again = await byTwo('PUT', `${HOUSE}/USD`, account('111111'));
    assert.equal(again.next.usableFrom, result.next.usableFrom);
    await succeed(
      200,
      service.operate('POST', '/v1/sandbox/market', { pair: 'EURUSD', bid: '1.08488', ask: '1.08494' }),
    );
    assert.equal(await payTo(), former.accountNumber);
    // One person alone ends no waiting.
    const { approvalId: alone } = await eyes.proposed('POST', `${HOUSE}/USD/release`);
    await refused('second_person_required', eyes.approve(alone, eyes.alsoFirst));
    await succeed(200, eyes.reject(alone));
    assert.equal((await kept()).accountNumber, former.accountNumber);

    await moveClock(service, { advanceSeconds: WAIT_SECONDS - 3_600 });
    assert.deepEqual([(await kept()).accountNumber, (await kept()).next], ['111111', null]);
    assert.equal(await payTo(), '111111');
    assert.equal(await payTo(earlier), former.accountNumber);
  });

  test('is used at once when two persons release it', async () => {
    await byTwo('PUT', `${HOUSE}/USD`, account('222222'));
    assert.equal(await payTo(), '111111');
    const released = await byTwo('POST', `${HOUSE}/USD/release`);
    assert.deepEqual([released.accountNumber, released.next], ['222222', null]);
    assert.equal(await payTo(), '222222');
    await refused('settlement_instructions_missing', service.operate('POST', `${HOUSE}/XTS/release`));
  });

  test('is dropped when the one in use is set again; what banks alone are told is so at once', async () => {
    await byTwo('PUT', `${HOUSE}/USD`, account('333333'));
    const holderAddress = { townName: 'London', country: 'GB' };
    const set = await byTwo('PUT', `${HOUSE}/USD`, { ...account('222222'), holderAddress });
    assert.deepEqual([set.accountNumber, set.holderAddress, set.next], ['222222', holderAddress, null]);
    await moveClock(service, { advanceSeconds: WAIT_SECONDS });
    assert.equal((await kept()).accountNumber, '222222');
  });

  test('does not wait where there was none', async () => {
    await service.database.owner.query("delete from collection_accounts where currency = 'NOK'");
    const first = { accountHolder: 'House', iban: 'NO9386011117947' };
    const set = await byTwo('PUT', `${HOUSE}/NOK`, first);
    assert.deepEqual([set.iban, set.next], [first.iban, null]);
  });

  test('is taken into use once, whoever looks, and the audit trail tells of it', async () => {
    await byTwo('PUT', `${HOUSE}/USD`, account('444444'));
    const due = Date.parse((await kept()).next.usableFrom);
    const moved = await Promise.all(Array.from({ length: 4 }, () => endWaits(service.pool, due)));
    assert.deepEqual(moved.sort(), [0, 0, 0, 1]);
    await byTwo('PUT', `${HOUSE}/USD`, account('555555'));
    await moveClock(service, { advanceSeconds: WAIT_SECONDS });
    const query = 'operation=sweep:end_account_waits&limit=1';
    const { items } = (await service.operate('GET', `/v1/operator/audit?${query}`)).body;
    const [change] = items[0].changes;
    assert.equal(change.table, 'collection_accounts');
    assert.equal(change.after.details.accountNumber, '555555');
    assert.equal(change.before.details.accountNumber, '444444');
  });
});

test('a new virtual account is named when it has waited, or when two persons release it', async () => {
  const path = `${eyes.buyer.path}/virtual-accounts`;
  const price = { pair: 'EURUSD', bid: '1.08488', ask: '1.08494' };
  const priced = () => succeed(200, service.operate('POST', '/v1/sandbox/market', price));
  await priced();
  const house = (await kept()).accountNumber;
  const { approvalId } = await eyes.proposed('POST', path, { currency: 'USD', number: '77770001' });
  await succeed(200, eyes.approve(approvalId));
  const [added] = (await service.operate('GET', path)).body.items;
  assert.equal(Date.parse(added.usableFrom) - Date.parse(added.createdAt), WAIT_SECONDS * 1_000);
  assert.equal(await payTo(), house);
  const { approvalId: alone } = await eyes.proposed('POST', `${path}/${added.virtualAccountId}/release`);
  await refused('second_person_required', eyes.approve(alone, eyes.alsoFirst));
  assert.equal(await payTo(), house);
  await succeed(200, eyes.approve(alone));
  assert.equal(await payTo(), '77770001');
  await byTwo('POST', path, { currency: 'USD', number: '77770002' });
  assert.equal(await payTo(), '77770001', 'the former one, while the newest waits');
  await moveClock(service, { advanceSeconds: WAIT_SECONDS });
  await priced();
  assert.equal(await payTo(), '77770002');
  const nobodys = `${path}/vac_01jngx7z5d2m8r4v6t9k3b1c0a/release`;
  await refused('virtual_account_not_found', service.operate('POST', nobodys));
});
