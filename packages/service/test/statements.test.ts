import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  type Customer,
  createCustomer,
  refused,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { exchange } from './support/raw-http.ts';
import type { TestService } from './support/service.ts';

/** Statements over the whole service: docs/interface.md#operators. */

const STATEMENTS = '/v1/operator/statements';
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

describe('a statement', () => {
  test('of the house’s account funds the trades that its entries name', async () => {
    const { transactionId, reference, funding } = (await acme.trade()).body;
    const { instructions } = funding;
    const file = {
      statements: [
        {
          account: instructions.iban ?? instructions.accountNumber,
          currency: 'USD',
          opening: { amount: '0.00', date: '2026-03-04' },
          closing: { amount: '100000.00', date: '2026-03-04' },
          entries: [
            {
              amount: '100000.00',
              direction: 'credit',
              bookingDate: '2026-03-04',
              bankReference: 'STMT-1',
              counterpartyName: 'Acme',
              remittanceText: `payment ${reference.slice(0, 4)} ${reference.slice(4)}`,
            },
          ],
        },
      ],
    };
    const { body } = await succeed(201, service.operate('POST', STATEMENTS, file));
    assert.deepEqual([body.format, body.newEntries, body.warnings], ['json', 1, []]);
    const { body: transaction } = await succeed(200, acme.get(`/v1/customer/transactions/${transactionId}`));
    assert.equal(transaction.status, 'funded');
    await succeed(200, service.operate('POST', STATEMENTS, file));
    const { body: entries } = await succeed(
      200,
      service.operate('GET', `${STATEMENTS}/${body.fileId}/entries`),
    );
    assert.equal(transaction.funding.deposits[0].depositId, entries.items[0].depositId);
  });

  test('that is too large is refused before it is read', async () => {
    const answer = await exchange(
      service.baseUrl,
      `POST ${STATEMENTS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.operatorToken}\r\nContent-Type: text/plain\r\nContent-Length: 300000000\r\n\r\n`,
    );
    await refused('body_too_large', Promise.resolve(answer));
  });

  test('is for operators only', async () => {
    await refused('insufficient_scope', acme.get(STATEMENTS), { requiredScope: 'operator:statements' });
  });
});
