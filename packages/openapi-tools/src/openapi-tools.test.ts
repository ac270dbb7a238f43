import assert from 'node:assert/strict';
import { test } from 'node:test';
import { customersOperations, openApiDocument } from '../../api/src/openapi.ts';
import { OPERATIONS } from '../../api/src/operations/index.ts';
import { generateClient, generateTypes, redocly, MISSING as skip, spectral, workbench } from './tools.ts';

/** The document in the hands of the programs that integrators use. */

const document = () => openApiDocument(OPERATIONS);
const ofCustomers = () => openApiDocument(customersOperations(OPERATIONS));

test("Redocly's recommended rules have nothing to say, and would", { skip }, async () => {
  for (const each of [document(), ofCustomers()]) assert.deepEqual(await redocly(each), []);
  const wrong = { ...document(), servers: [], paths: {} };
  assert.match((await redocly(wrong)).join('\n'), /^no-empty-servers /m);
});

test("Spectral's rules for OpenAPI have nothing to say, and would", { skip }, async () => {
  for (const each of [document(), ofCustomers()]) assert.deepEqual(await spectral(each), []);
  const wrong = { ...document(), info: { title: 'Firmquote', version: '1' }, paths: {} };
  assert.match((await spectral(wrong)).join('\n'), /^info-contact /m);
});

test('openapi-typescript makes types that compile, and that know what there is', { skip }, async (t) => {
  const bench = workbench(t);
  bench.write('types.ts', await generateTypes(document()));
  bench.write(
    'use.ts',
    `import type { components, operations, paths } from './types';
     type Quote = components['schemas']['Quote'];
     export const status: Quote['status'] = 'open';
     export const body: operations['createQuote']['requestBody']['content']['application/json'] = {
       sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '100000.00',
     };
     type Refusals = operations['getQuote']['responses'];
     export const code: Refusals[404]['content']['application/problem+json']['code'] = 'quote_not_found';
     export const path: keyof paths = '/v1/customer/quotes';
     // @ts-expect-error: no status of a quote
     export const wrong: Quote['status'] = 'opened';
     // @ts-expect-error: nothing that reading a quote is refused with
     export const unknown: Refusals[404]['content']['application/problem+json']['code'] = 'quote_expired';`,
  );
  assert.equal(bench.compile(), '');
});

test('@hey-api/openapi-ts makes a client that compiles, with a function for each operation', {
  skip,
}, async (t) => {
  const bench = workbench(t);
  await generateClient(document(), `${bench.folder}/client`);
  bench.write(
    'use.ts',
    `import * as sdk from './client/sdk.gen';
     import type { PriceStreamEvent } from './client/types.gen';
     export const functions: readonly unknown[] = [${OPERATIONS.map(({ id }) => `sdk.${id}`).join(', ')}];
     export async function trade(): Promise<string> {
       const asked = { sellCurrency: 'USD', buyCurrency: 'EUR', fixedSide: 'sell', amount: '100000.00' } as const;
       const { data: quote, error } = await sdk.createQuote({ body: asked });
       if (quote === undefined) return error.code;
       const { data } = await sdk.executeQuote({ path: { quoteId: quote.quoteId }, body: {} });
       return data?.transactionId ?? '';
     }
     export async function* bids(): AsyncGenerator<string | null> {
       const { stream } = await sdk.streamPrices({ query: { pairs: ['EURUSD'] } });
       for await (const event of stream) {
         const price = event as PriceStreamEvent;
         if (price.event === 'price') yield price.data.bid;
       }
     }`,
  );
  assert.equal(bench.compile(), '');
});
