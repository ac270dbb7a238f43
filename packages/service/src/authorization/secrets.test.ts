import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { IpAllowList, parseRange } from './ip-allow-list.ts';
import { OAuthError } from './oauth-error.ts';
import { covers, parseScope } from './scopes.ts';
import { generateSecret, hashSecret, isSecretForm, secretMatches } from './secrets.ts';
import { parseTokenRequest } from './token-request.ts';

test('secrets have 256 random bits and never repeat', () => {
  const secrets = new Set(Array.from({ length: 1000 }, () => generateSecret()));
  assert.equal(secrets.size, 1000);
  for (const secret of secrets) assert.match(secret, /^fqs_live_[0-9A-Za-z]{49}$/);
});

test('a scanner knows a secret by its prefix and its checksum', () => {
  for (let at = 0; at < 100; at++) {
    const secret = generateSecret(at % 2 === 0);
    assert.ok(isSecretForm(secret), secret);
    assert.equal(secret.startsWith('fqs_test_'), at % 2 === 0);
    const other = secret.endsWith('0') ? '1' : '0';
    assert.ok(!isSecretForm(secret.slice(0, -1) + other));
    assert.ok(!isSecretForm(secret.slice(1)));
  }
  assert.ok(!isSecretForm(`fqs_live_${'0'.repeat(49)}`));
});

test('a secret matches its own hash in either place and nothing else', () => {
  const [a, b] = [generateSecret(), generateSecret()];
  assert.ok(secretMatches(a, [hashSecret(a)]));
  assert.ok(secretMatches(a, [hashSecret(b), hashSecret(a)]));
  assert.ok(!secretMatches(a, [hashSecret(b)]));
  assert.ok(!secretMatches(a, []));
  assert.ok(!secretMatches('', []));
});

test('any id and secret survive Basic, colons and percent signs included', () => {
  const text = fc.string({ minLength: 1, unit: 'grapheme' });
  const form = (value: string) => new URLSearchParams({ v: value }).toString().slice(2);
  fc.assert(
    fc.property(text, text, (id, secret) => {
      const header = `Basic ${Buffer.from(`${form(id)}:${form(secret)}`).toString('base64')}`;
      const { credentials } = parseTokenRequest('form', 'grant_type=client_credentials&audience=a', header);
      assert.deepEqual(credentials, { method: 'secret', clientId: id, secret });
    }),
  );
});

test('whatever the body, the parser answers or refuses in OAuth form', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), fc.constantFrom('json', 'form'), (body, format) => {
      try {
        parseTokenRequest(format as 'json' | 'form', body, undefined);
      } catch (error) {
        assert.ok(error instanceof OAuthError);
      }
    }),
  );
});

test('a JSON object of strings is taken whatever its texts hold, and refused with a member given twice', () => {
  const fields = { client_id: 'a', audience: 'b', grant_type: 'client_credentials' };
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), fc.string(), (secret, extra) => {
      const body = JSON.stringify({ ...fields, client_secret: secret, extra });
      const { credentials } = parseTokenRequest('json', body, undefined);
      assert.deepEqual(credentials, { method: 'secret', clientId: 'a', secret });
      const twice = body.replace('{', () => `{"extra":${JSON.stringify(extra)},`);
      assert.throws(() => parseTokenRequest('json', twice, undefined), { code: 'invalid_request' });
    }),
  );
});

test('ranges: IPv4, IPv6 and mapped addresses', () => {
  const list = new IpAllowList(['203.0.113.0/24', '198.51.100.7', '2001:db8::/32', '::1']);
  for (const address of ['203.0.113.255', '198.51.100.7', '::ffff:198.51.100.7', '2001:db8:1::1', '::1']) {
    assert.ok(list.allows(address), address);
  }
  for (const address of ['203.0.114.0', '198.51.100.8', '2001:db9::', '::2', '', 'x', '203.0.113']) {
    assert.ok(!list.allows(address), address);
  }
  assert.ok(new IpAllowList([]).allows('anything'));
  assert.ok(new IpAllowList(['0.0.0.0/0']).allows('8.8.8.8'));
  for (const text of ['', '1.2.3.4/33', '::/129', '1.2.3.4/a', '1.2.3.4 ', 'host', '1.2.3.4/1/2']) {
    assert.equal(parseRange(text), undefined, text);
  }
});

test('scope lists', () => {
  assert.deepEqual(parseScope('a b a'), ['a', 'b']);
  for (const text of ['', ' ', ' a', 'a ', 'a  b', 'a"b', 'a\\b', 'é', 'a'.repeat(1001)]) {
    assert.equal(parseScope(text), undefined, text);
  }
  assert.ok(covers(new Set(['operator:*']), 'operator:limits'));
  assert.ok(!covers(new Set(['operator:*']), 'quotes:read'));
  assert.ok(!covers(new Set(['quotes:read']), 'operator:limits'));
});
