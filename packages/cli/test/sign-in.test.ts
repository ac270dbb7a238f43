import assert from 'node:assert/strict';
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Home } from './support/command.ts';
import { startWorld } from './support/world.ts';

const { service, sandboxFile, asCustomer, asOperator } = await startWorld();
const { customer, operator, baseUrl, audience } = service.sandbox;
const CONFIG = '.config/firmquote';

const signIn = (clientId: string, ...more: string[]) => [
  'login',
  ...['--base-url', baseUrl, '--audience', audience, '--client-id', clientId],
  ...more,
];

test('a secret from stdin is tried out, and kept where nobody else can read it', async () => {
  const home = new Home();
  const login = await home.run(signIn(customer.clientId, '--secret-stdin'), {
    stdin: `${customer.clientSecret}\n`,
  });
  assert.equal(login.code, 0, login.stderr);
  assert.match(login.stderr, /Signed in to http:\/\/127\.0\.0\.1:\d+ \(sandbox\) as customer cli_/);
  const folder = join(home.folder, CONFIG);
  assert.deepEqual(readdirSync(folder).sort(), ['config.json', 'secrets.json']);
  for (const name of ['', 'config.json', 'secrets.json']) {
    assert.equal(statSync(join(folder, name)).mode & 0o077, 0, name);
  }
  assert.doesNotMatch(readFileSync(join(folder, 'config.json'), 'utf8'), new RegExp(customer.clientSecret));
  const who = JSON.parse((await home.run(['whoami'])).stdout);
  assert.equal(who.clientId, customer.clientId);
  assert.equal(who.kind, 'customer');
  assert.equal(who.environment, 'sandbox');
  assert.equal(who.credentialsFrom, 'profile default');
  assert.match(who.tokenExpiresAt, /^20\d\d-.*Z$/);
});

test('one token serves many commands, and is as private as the secret', async () => {
  const home = new Home();
  await home.run(signIn(customer.clientId, '--secret-stdin'), { stdin: customer.clientSecret });
  const file = join(home.folder, '.cache/firmquote/tokens.json');
  const tokens = readFileSync(file, 'utf8');
  assert.equal(statSync(file).mode & 0o077, 0);
  for (const command of ['quotes list', 'whoami', 'transactions list']) {
    assert.equal((await home.run(command.split(' '))).code, 0);
  }
  assert.equal(readFileSync(file, 'utf8'), tokens);
  assert.equal(existsSync(`${file}.lock`), false);
});

test('a secret from a file; one that does not work is not remembered', async () => {
  const home = new Home();
  const file = join(home.folder, 'secret');
  writeFileSync(file, 'wrong');
  const wrong = await home.run(signIn(customer.clientId, '--secret-file', file));
  assert.equal(wrong.code, 4);
  assert.match(wrong.stderr, /^error: .*\n {2}invalid_client · status 401/);
  assert.equal(existsSync(join(home.folder, CONFIG)), false);
  writeFileSync(file, `${operator.clientSecret}\n`);
  assert.equal(
    (await home.run(signIn(operator.clientId, '--secret-file', 'secret', '--profile', 'desk'))).code,
    0,
  );
  const who = JSON.parse((await home.run(['whoami'])).stdout);
  assert.deepEqual([who.kind, who.profile], ['operator', 'desk']);
});

test('whoever leaves out the audience that the service wants is told to name it', async () => {
  const home = new Home();
  const argv = ['login', '--base-url', baseUrl, '--client-id', customer.clientId, '--secret-stdin'];
  const refused = await home.run(argv, { stdin: customer.clientSecret });
  assert.equal(refused.code, 4);
  assert.match(refused.stderr, /invalid_target.*\nnext: .*--audience.*--sandbox/);
  assert.equal(
    (await home.run(signIn(customer.clientId, '--secret-stdin'), { stdin: customer.clientSecret })).code,
    0,
  );
});

describe('a private key instead of a secret', async () => {
  const [{ customerId }] = (await service.operate('GET', '/v1/operator/customers')).body.items;
  const credentials = `/v1/operator/customers/${customerId}/credentials`;
  const { clientId } = (
    await service.operate('POST', credentials, { name: 'signs', scopes: ['quotes:read'] })
  ).body;
  const pairs = [
    generateKeyPairSync('ed25519'),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
  ];
  const [ed, ec, rsa] = pairs.map(({ privateKey }) => privateKey) as [KeyObject, KeyObject, KeyObject];
  const keys = pairs.map(({ publicKey }, at) => ({
    ...publicKey.export({ format: 'jwk' }),
    kid: `key-${at}`,
  }));
  assert.equal((await service.operate('PUT', `${credentials}/${clientId}/keys`, { keys })).status, 200);
  const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'pkcs8' }) as string;
  const jwk = (key: KeyObject) => JSON.stringify(key.export({ format: 'jwk' }));

  test('signs requests for tokens, from a file that stays where it is', async () => {
    for (const [text, ...more] of [
      [pem(ed)],
      [jwk(ec), '--key-id', 'key-1'],
      [rsa.export({ format: 'pem', type: 'pkcs1' }) as string],
    ] as const) {
      const home = new Home();
      writeFileSync(join(home.folder, 'key'), text, { mode: 0o600 });
      const login = await home.run(signIn(clientId, '--key-file', 'key', ...more));
      assert.equal(login.code, 0, login.stderr);
      assert.deepEqual(readdirSync(join(home.folder, CONFIG)), ['config.json']);
      assert.doesNotMatch(readFileSync(join(home.folder, CONFIG, 'config.json'), 'utf8'), /PRIVATE|"d"/);
      rmSync(join(home.folder, '.cache'), { recursive: true });
      const who = JSON.parse((await home.run(['whoami'])).stdout);
      assert.deepEqual(
        [who.clientId, who.kind, who.credentialsFrom],
        [clientId, 'customer', `profile default (${join(home.folder, 'key')})`],
      );
    }
  });

  test('from stdin is kept as a secret is; a program names its file', async () => {
    const home = new Home();
    const login = await home.run(signIn(clientId, '--key-stdin'), { stdin: pem(ec) });
    assert.equal(login.code, 0, login.stderr);
    assert.equal(statSync(join(home.folder, CONFIG, 'secrets.json')).mode & 0o077, 0);
    rmSync(join(home.folder, '.cache'), { recursive: true });
    assert.equal((await home.run(['quotes', 'list'])).code, 0);
    const program = new Home();
    writeFileSync(join(program.folder, 'key.pem'), pem(ed), { mode: 0o600 });
    const env = { ...asCustomer, FIRMQUOTE_CLIENT_ID: clientId, FIRMQUOTE_PRIVATE_KEY_FILE: 'key.pem' };
    const who = await program.run(['whoami'], { env: { ...env, FIRMQUOTE_CLIENT_SECRET: '' } });
    assert.equal(JSON.parse(who.stdout).credentialsFrom, 'FIRMQUOTE_PRIVATE_KEY_FILE', who.stderr);
  });

  test('that others can read, that is none, or that the service does not know is refused, and not repeated', async () => {
    const home = new Home();
    const file = join(home.folder, 'key');
    const refused = async (text: string, mode: number, ...more: string[]) => {
      rmSync(file, { force: true });
      writeFileSync(file, text, { mode });
      const end = await home.run(signIn(clientId, '--key-file', file, ...more));
      assert.ok(!`${end.stdout}${end.stderr}`.includes(text.trim()));
      assert.equal(existsSync(join(home.folder, CONFIG)), false);
      return [end.code, end.stderr] as const;
    };
    if (process.platform !== 'win32') {
      const [code, said] = await refused(pem(ed), 0o644);
      assert.equal(code, 4);
      assert.match(said, /can be read by others \(mode 644\)/);
    }
    const wrongs = [
      'no key at all',
      '{"kty":',
      JSON.stringify(keys[0]),
      pem(generateKeyPairSync('x25519').privateKey),
      ed.export({ format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'x' }) as string,
    ];
    for (const text of wrongs) {
      const [code, said] = await refused(text, 0o600);
      assert.equal(code, 2);
      assert.match(said, /holds no key to sign with\.\nnext: Use a private key for Ed25519, P-256 or RSA/);
    }
    const [code, said] = await refused(pem(generateKeyPairSync('ed25519').privateKey), 0o600);
    assert.equal(code, 4);
    assert.match(said, /invalid_client/);
    const [both, choose] = await refused(pem(ed), 0o600, '--secret-stdin');
    assert.equal(both, 2);
    assert.match(choose, /Credentials come from one place/);
  });
});

test('without a terminal nothing is asked, and it is said what to do', async () => {
  const { code, stderr } = await new Home().run(signIn(customer.clientId));
  assert.equal(code, 2);
  assert.match(stderr, /^error: Client secret is missing\.\nnext: Pipe it in with --secret-stdin/);
});

describe('a secret among the arguments is refused, and not repeated', () => {
  const LINES = [
    'login --client-secret s3cret-s3cret',
    'login --client-secret=s3cret-s3cret',
    'login --password s3cret-s3cret',
    'quotes list --token=s3cret-s3cret',
    'api POST /oauth/token -f client_secret=s3cret-s3cret',
  ];
  for (const line of LINES) {
    test(line, async () => {
      const end = await new Home().run(line.split(' '));
      assert.equal(end.code, 2);
      assert.match(end.stderr, /--secret-stdin.*rotate it/);
      assert.doesNotMatch(end.stdout + end.stderr, /s3cret/);
    });
  }

  test('a header', async () => {
    const end = await new Home().run(['api', 'GET', '/v1/x', '-H', 'Authorization: Bearer s3cret-s3cret']);
    assert.equal(end.code, 2);
    assert.doesNotMatch(end.stderr, /s3cret/);
  });
});

test('the environment wins over the profile, and a flag over both', async () => {
  const home = new Home();
  await home.run(signIn(customer.clientId, '--secret-stdin'), { stdin: customer.clientSecret });
  const fromEnvironment = JSON.parse((await home.run(['whoami'], { env: asOperator })).stdout);
  assert.equal(fromEnvironment.clientId, operator.clientId);
  assert.equal(fromEnvironment.credentialsFrom, 'FIRMQUOTE_CLIENT_ID');
  assert.equal(fromEnvironment.baseUrlFrom, 'FIRMQUOTE_BASE_URL');
  const token = await home.run(['whoami'], {
    env: { ...asOperator, FIRMQUOTE_TOKEN: service.customerToken },
  });
  assert.equal(JSON.parse(token.stdout).credentialsFrom, 'FIRMQUOTE_TOKEN');
  const flag = await home.run(['whoami', '--base-url', baseUrl.replace('127.0.0.1', 'localhost')], {
    env: asCustomer,
  });
  assert.equal(JSON.parse(flag.stdout).baseUrlFrom, '--base-url');
});

for (const command of [
  ['quotes', 'list'],
  ['quote', '--sell', '1000', 'EUR', '--buy', 'USD'],
  ['quotes', 'execute', 'quote_01jngx7z5d2m8r4v6t9k3b1c0a'],
  ['transactions', 'wait', 'txn_01jngx7z5d2m8r4v6t9k3b1c0a'],
  ['events', 'list'],
  ['events', 'tail'],
]) {
  const name = command.slice(0, 2).join(' ');
  test(`a profile's secret goes to no other address, whatever variable is left in the shell: ${name} says so`, async () => {
    const home = new Home();
    await home.run(signIn(customer.clientId, '--secret-stdin'), { stdin: customer.clientSecret });
    const { code, stderr } = await home.run([...command, '--yes'], {
      env: { FIRMQUOTE_BASE_URL: 'http://127.0.0.1:9' },
    });
    assert.equal(code, 4);
    assert.match(
      stderr,
      /^error: You are not signed in to http:\/\/127\.0\.0\.1:9 \(credentials: none: profile default is for/,
    );
  });
}

test('half of the credentials in the environment is said to be half', async () => {
  const { code, stderr } = await new Home().run(['whoami'], {
    env: { FIRMQUOTE_BASE_URL: baseUrl, FIRMQUOTE_CLIENT_ID: 'cli_x' },
  });
  assert.equal(code, 4);
  assert.match(stderr, /FIRMQUOTE_CLIENT_SECRET is missing/);
});

test('whoever has not signed in is told how', async () => {
  const { code, stderr } = await new Home().run(['whoami']);
  assert.equal(code, 4);
  assert.match(stderr, /next: Sign in: firmquote login/);
});

test('a file of secrets that others can read is not used', {
  skip: process.platform === 'win32',
}, async () => {
  const home = new Home();
  await home.run(signIn(customer.clientId, '--secret-stdin'), { stdin: customer.clientSecret });
  const file = join(home.folder, CONFIG, 'secrets.json');
  chmodSync(file, 0o644);
  const { code, stderr } = await home.run(['whoami']);
  assert.equal(code, 4);
  assert.match(stderr, /secrets\.json can be read by others \(mode 644\)\.\nnext: chmod 600 /);
});

test('where nothing can be kept, it is said', async () => {
  const home = new Home();
  writeFileSync(join(home.folder, 'firmquote'), '');
  const env = { XDG_CONFIG_HOME: home.folder };
  const stdin = customer.clientSecret;
  const { code, stderr } = await home.run(signIn(customer.clientId, '--secret-stdin'), { stdin, env });
  assert.equal(code, 1);
  assert.match(stderr, /firmquote\/secrets\.json: .*\nnext: Make sure you can read and write the file/);
});

test('secrets travel over TLS, or stay on this machine', async () => {
  const { code, stderr } = await new Home().run([
    'login',
    '--base-url',
    'http://fx.example.com',
    '--client-id',
    'x',
  ]);
  assert.equal(code, 2);
  assert.match(stderr, /not reached over TLS/);
});

test('one sign-in to a sandbox is its customer, and its operator for what only operators do', async () => {
  const home = new Home();
  const login = await home.run(['login', '--sandbox', sandboxFile]);
  assert.equal(login.code, 0, login.stderr);
  const rows = JSON.parse((await home.run(['config', 'list'])).stdout);
  assert.deepEqual(
    rows.map(({ profile, current, kind }: { profile: string; current: boolean; kind: string }) => [
      profile,
      current,
      kind,
    ]),
    [
      ['sandbox', true, 'customer'],
      ['sandbox-operator', false, 'operator'],
      ['sandbox-second-operator', false, 'operator'],
    ],
  );
  assert.equal(existsSync(join(home.folder, CONFIG, 'secrets.json')), false);
  assert.equal(JSON.parse((await home.run(['deposits', 'list'])).stdout).length, 0);
  assert.equal(JSON.parse((await home.run(['customers', 'list'])).stdout)[0].name, 'Sandbox customer');
  assert.match((await home.run(['sandbox', 'clock'])).stdout, /"offsetMs": 0/);
  const gone = await new Home().run(['login', '--sandbox']);
  assert.equal(gone.code, 4);
  assert.match(gone.stderr, /data\/sandbox\.json is missing\.\nnext: Start one \(npm start\)/);
});

test('profiles are chosen, changed and forgotten', async () => {
  const home = new Home();
  await home.run(['login', '--sandbox', sandboxFile]);
  assert.equal((await home.run(['config', 'use', 'sandbox-operator'])).code, 0);
  assert.equal(JSON.parse((await home.run(['whoami'])).stdout).kind, 'operator');
  assert.equal(JSON.parse((await home.run(['whoami', '--profile', 'sandbox'])).stdout).kind, 'customer');
  const unknown = await home.run(['whoami', '--profile', 'none']);
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /Profiles: sandbox, sandbox-operator/);
  assert.equal((await home.run(['config', 'get', 'base-url'])).stdout, `${baseUrl}\n`);
  assert.equal((await home.run(['config', 'set', 'base-url', 'https://elsewhere.example'])).code, 2);
  assert.equal((await home.run(['logout', '--all'])).code, 0);
  assert.equal((await home.run(['whoami'])).code, 4);
  assert.doesNotMatch(readFileSync(join(home.folder, CONFIG, 'config.json'), 'utf8'), /cli_/);
});

test('the profile that the shell names is the one that is signed in, shown, changed and forgotten', async () => {
  const home = new Home();
  const env = { FIRMQUOTE_PROFILE: 'desk' };
  await home.run(signIn(customer.clientId, '--secret-stdin'), { stdin: customer.clientSecret });
  await home.run(signIn(operator.clientId, '--secret-stdin'), { stdin: operator.clientSecret, env });
  assert.equal(JSON.parse((await home.run(['whoami'], { env })).stdout).clientId, operator.clientId);
  assert.equal((await home.run(['config', 'use', 'default'])).code, 0);
  assert.equal(JSON.parse((await home.run(['config', 'get'], { env })).stdout).profile, 'desk');
  assert.equal((await home.run(['config', 'set', 'operator', 'desk'], { env })).code, 0);
  assert.equal(JSON.parse((await home.run(['config', 'get'])).stdout).operator, undefined);
  assert.match((await home.run(['logout'], { env })).stderr, /^Forgot desk /);
  assert.deepEqual(Object.keys(JSON.parse(readFileSync(join(home.folder, CONFIG, 'secrets.json'), 'utf8'))), [
    'default',
  ]);
  assert.equal(JSON.parse((await home.run(['whoami'])).stdout).profile, 'default');
});
