import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS } from '@firmquote/api';
import { SUGGESTED_COMMANDS } from '@firmquote/api/operations/exceptions';
import { Compile } from 'typebox/schema';
import type { Asked, Given } from '../parts/action.tsx';

/** Whether each form of the exception page sends what the interface takes, under the right that the interface asks for. */

const sent: { readonly method: string; readonly path: string; readonly body: unknown }[] = [];
// The console's client sends to where its page comes from.
Object.assign(globalThis, {
  location: { origin: 'http://console.test' },
  fetch: async (input: string | URL, { method = 'GET', body }: RequestInit = {}) => {
    sent.push({ method, path: new URL(input).pathname, body: JSON.parse(String(body)) });
    return Response.json({});
  },
});
const { EXCEPTION_COMMANDS, commandAt } = await import('./exception-commands.ts');

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
  as: 'ste_2',
};

const options = { idempotencyKey: 'once', reason: undefined, ifMatch: undefined } as never;

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

test('each command sends what the interface takes, and takes the right that the interface asks for', async () => {
  let forms = 0;
  for (const [subject, commands] of Object.entries(EXCEPTION_COMMANDS))
    for (const verb of Object.keys(commands)) {
      const base = subject === 'returns' ? 'deposits' : subject;
      const order = {
        order: 'match',
        path: `/v1/operator/${base}/${IDS[subject]}/${verb}`,
        body: {},
      } as const;
      const found = commandAt(order);
      assert.ok(found, order.path);
      const of = { transactionId: null, customerId: null } as never;
      for (const given of waysOf(found.command.asks?.(of, order) ?? [])) {
        await found.command.send(found.ids, given, options);
        const { method, path, body } = sent.pop() ?? {};
        assert.deepEqual([method, path], ['POST', order.path]);
        const operation = Object.values(OPERATIONS).find(
          (each) =>
            each.method === 'POST' &&
            new RegExp(`^${each.path.replaceAll(/\{\w+\}/g, '[a-z]+_1')}$`).test(order.path),
        );
        assert.ok(operation, order.path);
        assert.equal(operation.access?.scope, found.command.scope, operation.id);
        assert.ok(
          operation.body !== undefined && Compile(operation.body).Check(body),
          `${operation.id} ${JSON.stringify(body)}`,
        );
        forms++;
      }
    }
  assert.ok(forms > 40, `${forms} ways to fill them in`);
});

test('a command that this page does not know is left to others', () => {
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
