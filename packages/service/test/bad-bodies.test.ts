import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  type Customer,
  createCustomer,
  fieldErrors,
  refused,
  SELL_USD,
  startExampleService,
  succeed,
} from './support/acceptance.ts';
import { isProblem } from './support/answers.ts';
import { rawCaller } from './support/raw-http.ts';
import type { TestService } from './support/service.ts';

/** Bodies that nobody should send get a clear problem, and nothing is lost or half done. */

const QUOTES = '/v1/customer/quotes';
const LIST = '/v1/customer/transactions';
let service: TestService;
let acme: Customer;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
});

const { raw, head, postOf } = rawCaller(
  () => service.baseUrl,
  () => acme.token,
);

describe('bodies', () => {
  test('that are no JSON', async () => {
    const texts = [
      '{',
      '{"amount":"1"',
      "{'a':1}",
      '{"a":1,}',
      '{"a":NaN}',
      'sellCurrency=USD',
      '[1',
      '{"a":"\u0001"}',
      '\u0000',
      '{}{}',
    ];
    for (const text of texts) await refused('malformed_json', acme.post(QUOTES, text));
    const { quoteId } = (await acme.quote()).body;
    await refused('malformed_json', acme.execute(quoteId, '{'));
    await refused('malformed_json', acme.post(`${QUOTES}/${quoteId}/cancel`, '{'));
    assert.equal((await acme.get(`${QUOTES}/${quoteId}`)).body.status, 'open');
  });

  test('that are no UTF-8', async () => {
    const wrong = ['ff', 'c328', 'e28228', 'f09f92', 'eda080', 'c0af'].map((hex) => Buffer.from(hex, 'hex'));
    for (const bytes of wrong) {
      const [before, after] = JSON.stringify({ ...SELL_USD, clientReference: '~' }).split('~');
      const body = Buffer.concat([Buffer.from(before ?? ''), bytes, Buffer.from(after ?? '')]);
      await refused('malformed_json', raw(postOf(body)));
      const length = body.length.toString(16);
      const chunked = [
        head(`POST ${QUOTES}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked'),
        `${length}\r\n`,
      ];
      const sent = Buffer.concat([Buffer.from(chunked.join('')), body, Buffer.from('\r\n0\r\n\r\n')]);
      await refused('malformed_json', raw(sent));
    }
    const replacement = await acme.quote({ clientReference: 'a\ufffdb' });
    assert.equal(replacement.body.clientReference, 'a\ufffdb', 'the character itself is a character');
  });

  test('that hold a member twice, or are nested without an end', async () => {
    const text = JSON.stringify(SELL_USD);
    for (const extra of ['"amount":"1.00"', '"metadata":{"a":"1","a":"2"}']) {
      const twice = await acme.post(QUOTES, text.replace('{', `{${extra},`));
      await refused('malformed_json', twice, { detail: 'The body contains a member twice.' });
    }
    const { quoteId } = (await acme.quote()).body;
    const expecting = '{"expect":{"sellAmount":"1.00","sellAmount":"100000.00"}}';
    await refused('malformed_json', acme.execute(quoteId, expecting));
    assert.equal((await acme.get(`${QUOTES}/${quoteId}`)).body.status, 'open');
    const key = { 'Idempotency-Key': 'nested' };
    for (const nested of ['['.repeat(30_000), `${'['.repeat(20_000)}${']'.repeat(20_000)}`]) {
      assert.deepEqual(await fieldErrors(acme.post(QUOTES, nested, key)), [['', 'too_deep']]);
    }
  });

  test('with keys that reach for the prototype', async () => {
    for (const extra of [
      '"__proto__":{"amount":"1"}',
      '"\\u005f_proto__":{}',
      '"constructor":{"prototype":{"x":1}}',
      '"metadata":{"__proto__":"x"}',
    ]) {
      const body = JSON.stringify(SELL_USD).replace('{', `{${extra},`);
      const detail =
        'The body contains a member that is not taken: __proto__, or constructor with prototype.';
      await refused('malformed_json', acme.post(QUOTES, body), { detail });
    }
    for (const name of ['constructor', 'toString', 'hasOwnProperty']) {
      const errors = await fieldErrors(acme.post(QUOTES, { ...SELL_USD, [name]: 'x' }));
      assert.deepEqual(errors, [[`/${name}`, 'unknown_field']]);
      const { body } = await acme.quote({ metadata: { [name]: 'x' } });
      assert.deepEqual(body.metadata, { [name]: 'x' });
    }
    assert.equal(({} as Record<string, unknown>).x, undefined);
  });

  test('that are deep', async () => {
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const depth = Math.floor(60_000 / (open.length + close.length));
      const nested = `${open.repeat(depth)}1${close.repeat(depth)}`;
      const { quoteId } = (await acme.quote()).body;
      for (const body of [nested, JSON.stringify(SELL_USD).replace('{', `{"metadata":${nested},`)]) {
        await refused('validation_failed', acme.post(QUOTES, body));
        await refused('validation_failed', acme.execute(quoteId, body, { 'Idempotency-Key': 'deep' }));
        await refused('validation_failed', acme.post(`${QUOTES}/${quoteId}/cancel`, body));
      }
    }
  });

  test('that are large', async () => {
    const size = 10 * 1024 * 1024;
    await refused('body_too_large', acme.post(QUOTES, { ...SELL_USD, clientReference: 'x'.repeat(size) }));
    for (const path of [QUOTES, `${QUOTES}/indicative`, `${QUOTES}/x/execute`, `${QUOTES}/x/cancel`]) {
      const answer = await raw(
        head(`POST ${path}`, 'Content-Type: application/json', `Content-Length: ${size}`),
      );
      await refused('body_too_large', answer);
    }
    const chunk = `${(70_000).toString(16)}\r\n${'x'.repeat(70_000)}\r\n`;
    const start = head(`POST ${QUOTES}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked');
    await refused('body_too_large', raw(`${start}${chunk}`));
    await refused('body_too_large', acme.post(QUOTES, { ...SELL_USD, clientReference: 'x'.repeat(65_536) }));
  });

  test('whose length is another than they say', async () => {
    const body = JSON.stringify(SELL_USD);
    const long = head(
      `POST ${QUOTES}`,
      'Content-Type: application/json',
      'Content-Length: 5',
      'Content-Length: 7',
    );
    isProblem(await raw(`${long}${body}`));
    const both = head(
      `POST ${QUOTES}`,
      'Content-Type: application/json',
      'Content-Length: 5',
      'Transfer-Encoding: chunked',
    );
    isProblem(await raw(`${both}0\r\n\r\n`));
  });

  test('of another media type', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'json',
      'application/json-patch+json',
    ]) {
      const headers = { 'Content-Type': type };
      await refused('unsupported_media_type', acme.post(QUOTES, JSON.stringify(SELL_USD), headers));
    }
    for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON']) {
      await succeed(201, acme.post(QUOTES, JSON.stringify(SELL_USD), { 'Content-Type': type }));
    }
  });

  test('where none is expected', async () => {
    const { body } = await acme.quote();
    await succeed(200, acme.post(`${QUOTES}/${body.quoteId}/cancel`, ''));
    const get = await raw(`${head(`GET ${LIST}`, 'Content-Type: application/json', 'Content-Length: 2')}{}`);
    assert.equal(get.status, 200);
  });
});
