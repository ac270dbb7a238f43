import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { OPERATIONS, type Operation } from '@firmquote/api';
import { newUuid, typeId } from '../src/platform/ids.ts';
import { startExampleService } from './support/acceptance.ts';
import type { TestService } from './support/service.ts';

/** What operators ask for of a customer that there is not, whatever it is, ends with `customer_not_found` where that is declared. */

let service: TestService;
before(async () => {
  service = await startExampleService();
});

const unknown = (prefix: Parameters<typeof typeId>[0]) => typeId(prefix, newUuid(1));
const QUERIES: Readonly<Record<string, string>> = {
  listCustomerPrices: '?pairs=EURUSD',
  getCustomerStatement: '?from=2026-03-01T00:00:00Z',
};
const TOLD = OPERATIONS.filter(
  ({ path, problems }) =>
    path.startsWith('/v1/operator/customers/{customerId}') && problems?.includes('customer_not_found'),
);

function addressOf({ id, path, params = {} }: Operation): string {
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const kind = params[name]?.kind;
    return kind?.of === 'id' ? unknown(kind.prefix as Parameters<typeof typeId>[0]) : 'x';
  });
  return `${address}${QUERIES[id] ?? ''}`;
}

for (const operation of TOLD) {
  test(`${operation.id} says that there is no such customer`, async () => {
    const { method, body, example } = operation;
    const sent = body === undefined ? undefined : (example?.body ?? {});
    const headers = { 'Idempotency-Key': operation.id, 'Firmquote-Reason': 'as agreed' };
    const answer = await service.operate(method, addressOf(operation), sent, headers);
    assert.deepEqual([answer.status, answer.body.code], [404, 'customer_not_found'], answer.text);
  });
}
