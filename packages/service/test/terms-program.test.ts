import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { before, describe, test } from 'node:test';
import { CompactSign, decodeProtectedHeader, exportJWK, generateKeyPair, type JSONWebKeySet } from 'jose';
import { type Customer, createCustomer, startExampleService, succeed } from './support/acceptance.ts';
import { whenFileEnds } from './support/file-end.ts';
import type { TestService } from './support/service.ts';
import { rebuilt, signatureOf } from './support/terms.ts';

/** The program that docs/evidence.md gives to readers, run as it says. */

const SIGNED = { Prefer: 'signature' };
const DOCUMENT = resolve(import.meta.dirname, '../../../docs/evidence.md');
let service: TestService;
let acme: Customer;
let jwks: JSONWebKeySet;

before(async () => {
  service = await startExampleService();
  acme = await createCustomer(service);
  jwks = (await succeed(200, service.call('GET', '/.well-known/jwks.json', { token: null }))).body;
});

describe('the program of docs/evidence.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fq-terms-'));
  whenFileEnds(async () => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string) => join(folder, name);
  before(() => {
    const text = readFileSync(DOCUMENT, 'utf8');
    const program = /^```js verify-terms\.mjs\n([\s\S]*?)^```$/m.exec(text)?.[1];
    assert.ok(program !== undefined, 'the document has the program');
    writeFileSync(file('verify-terms.mjs'), program);
  });

  /** Runs it as the document says, with nothing but the three files. */
  async function run(body: unknown, signature: string, keys: unknown = jwks) {
    writeFileSync(file('body.json'), JSON.stringify(body, null, 4));
    writeFileSync(file('signature.txt'), `${signature}\n`);
    writeFileSync(file('jwks.json'), JSON.stringify(keys));
    const child = spawn(process.execPath, ['verify-terms.mjs', 'body.json', 'signature.txt', 'jwks.json'], {
      cwd: folder,
      env: {},
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const [code] = await once(child, 'close');
    return { code, output };
  }

  test('takes a quote and a transaction, and no changed cent', async () => {
    const quote = await acme.quote({}, SIGNED);
    const trade = await succeed(201, acme.execute(quote.body.quoteId, undefined, SIGNED));
    for (const answer of [quote, trade]) {
      const { code, output } = await run(answer.body, signatureOf(answer));
      assert.equal(code, 0, output);
      assert.ok(output.includes(`valid: signed by ${service.baseUrl} for ${acme.customerId} at 20`), output);
      const changed = await run({ ...answer.body, buyAmount: '91987.02' }, signatureOf(answer));
      assert.equal(changed.code, 1);
      assert.match(changed.output, /NOT VALID/);
    }
    const crossed = await run(trade.body, signatureOf(quote));
    assert.equal(crossed.code, 1, 'a signature of a quote is none of a transaction');
  });

  test('takes a transaction that was signed before accounts were, and no changed account of one that was after', async () => {
    const trade = await succeed(201, acme.execute((await acme.quote()).body.quoteId, undefined, SIGNED));
    const { body } = trade;
    const { instructions } = body.funding;
    const foreign = { ...instructions, accountNumber: '1234567890' };
    const changed = { ...body, funding: { ...body.funding, instructions: foreign } };
    assert.match((await run(changed, signatureOf(trade))).output, /NOT VALID/);
    const { payout: _payout, funding: _funding, ...former } = rebuilt.transaction(body);
    const { privateKey, publicKey } = await generateKeyPair('EdDSA', { extractable: true });
    const signed = await new CompactSign(Buffer.from(JSON.stringify(former)))
      .setProtectedHeader({
        alg: 'EdDSA',
        kid: 'former',
        typ: 'transaction-terms.v1+jws',
        iss: 'a',
        sub: 'b',
        iat: 1,
      })
      .sign(privateKey);
    const [head, , end] = signed.split('.');
    const keys = { keys: [{ ...(await exportJWK(publicKey)), kid: 'former' }] };
    const valid = await run(body, `${head}..${end}`, keys);
    assert.equal(valid.code, 0, valid.output);
    assert.equal((await run({ ...body, reference: 'RF18539007547034' }, `${head}..${end}`, keys)).code, 1);
  });

  test('takes no other key, and no signature of another kind', async () => {
    const quote = await acme.quote({}, SIGNED);
    const signature = signatureOf(quote);
    const { kid } = decodeProtectedHeader(`${signature.split('.')[0]}..`);
    const others = { keys: jwks.keys.filter((key) => key.kid !== kid) };
    assert.match((await run(quote.body, signature, others)).output, /no Ed25519 key/);
    const own = jwks.keys.find((key) => key.kid === kid);
    const revoked = { ...others, revoked_keys: [{ ...own, revoked: { revoked_at: 1_772_634_600 } }] };
    const reported = await run(quote.body, signature, revoked);
    assert.match(reported.output, /the key was revoked at 2026-03-04T14:30:00\.000Z/);
    assert.equal(reported.code, 1);
    const next = others.keys.find((key) => key.alg === 'EdDSA');
    const swapped = { keys: [{ ...next, kid }] };
    assert.match((await run(quote.body, signature, swapped)).output, /NOT VALID/);
    const head = Buffer.from(JSON.stringify({ alg: 'none', typ: 'quote-terms.v1+jws' })).toString(
      'base64url',
    );
    assert.equal((await run(quote.body, `${head}..`)).code, 1);
  });
});
