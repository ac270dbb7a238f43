import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { parse } from 'yaml';
import { loadConfig } from '../../packages/service/src/config.ts';
import { environmentOf, instructionsOf } from './containerfile.ts';
import { ROOT } from './kit.ts';
import { unknownSettings } from './settings.ts';

interface Service {
  readonly image: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly read_only?: boolean;
  readonly privileged?: boolean;
  readonly cap_add?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly secrets?: readonly string[];
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly network_mode?: string;
  readonly networks?: Readonly<Record<string, { readonly ipv4_address: string }>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly deploy?: { readonly resources: { readonly limits: Readonly<Record<string, unknown>> } };
}
interface Compose {
  readonly services: Readonly<Record<'database' | 'migrate' | 'service' | 'proxy', Service>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const FOLDER = join(ROOT, 'ops/compose');
const FILE = join(FOLDER, 'compose.yaml');
const GIVEN: Readonly<Record<string, string>> = { SITE: 'fx.example.com', SOURCES: 'push' };
const compose: Compose = parse(
  readFileSync(FILE, 'utf8').replaceAll(
    /\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g,
    (_, name: string, otherwise = '') => GIVEN[name] ?? otherwise,
  ),
);
const { database, migrate, service, proxy } = compose.services;
const entries = Object.entries(compose.services);

function secretsIn(t: TestContext): string {
  const parent = mkdtempSync(join(tmpdir(), 'firmquote-secrets-'));
  t.after(() => rmSync(parent, { recursive: true, force: true }));
  const made = spawnSync(join(FOLDER, 'secrets.sh'), [join(parent, 'secrets')], { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  return join(parent, 'secrets');
}

describe('compose.yaml', () => {
  for (const [name, each] of entries) {
    test(`${name} can do nothing that it does not need`, () => {
      assert.equal(each.read_only, true);
      assert.deepEqual(each.cap_drop, ['ALL']);
      assert.deepEqual(each.security_opt, ['no-new-privileges:true']);
      assert.deepEqual(each.cap_add ?? [], name === 'proxy' ? ['NET_BIND_SERVICE'] : []);
      assert.equal(each.privileged, undefined);
      assert.deepEqual(Object.keys(each.deploy?.resources.limits ?? {}), ['cpus', 'memory', 'pids']);
      assert.doesNotMatch(each.image, /:latest$/);
      // Nothing of the host but the proxy's configuration.
      const mounts = (each.volumes ?? []).map((volume) => volume.split(':'));
      for (const [from = '', , mode] of mounts.filter(([from = '']) => !(from in compose.volumes))) {
        assert.ok(existsSync(join(FOLDER, from)) && mode === 'ro', from);
      }
    });

    test(`the settings of ${name} are settings, and no secret is among them`, () => {
      const names = Object.keys(each.environment ?? {});
      assert.deepEqual(unknownSettings(names), []);
      assert.deepEqual(
        names.filter(
          (setting) =>
            /(KEY|URL|PASSWORD|TOKEN|SECRET)$/.test(setting) && !/(BASE|OPERATOR)_URL$/.test(setting),
        ),
        [],
      );
      const files = Object.values(each.environment ?? {}).filter((value) =>
        value.startsWith('/run/secrets/'),
      );
      assert.deepEqual(
        files.map((path) => path.replace('/run/secrets/', '')).sort(),
        [...(each.secrets ?? [])].sort(),
      );
    });
  }

  test('service and migration run as the image does, with the data folder of the image', () => {
    const instructions = instructionsOf(readFileSync(join(ROOT, 'ops/container/Containerfile'), 'utf8'));
    const user = instructions.findLast(({ name }) => name === 'USER')?.text;
    assert.deepEqual([service.user, migrate.user, database.user], [user, user, 'postgres']);
    assert.ok(
      service.volumes?.some((volume) =>
        volume.endsWith(`:${environmentOf(instructions).FIRMQUOTE_DATA_DIR}`),
      ),
    );
  });

  test('the schema is migrated before the service starts, by a role that the service never has', () => {
    assert.equal(migrate.command?.[0], 'migrate');
    assert.deepEqual(migrate.depends_on, { database: { condition: 'service_healthy' } });
    assert.deepEqual(service.depends_on, { migrate: { condition: 'service_completed_successfully' } });
    assert.deepEqual(proxy.depends_on, { service: { condition: 'service_healthy' } });
    assert.ok(migrate.secrets?.includes('owner_url'));
    assert.ok(!service.secrets?.some((name) => name.startsWith('owner')));
  });

  test('only the proxy is reached from outside, and the service believes it alone', () => {
    assert.deepEqual([database.network_mode, migrate.network_mode], ['none', 'none']);
    assert.deepEqual([database.ports, migrate.ports], [undefined, undefined]);
    assert.ok(service.ports?.every((port) => port.startsWith('127.0.0.1:')));
    assert.equal(service.environment?.FIRMQUOTE_TRUST_PROXY, proxy.networks?.front?.ipv4_address);
    assert.equal(proxy.environment?.INSTANCES, `${service.networks?.front?.ipv4_address}:4000`);
    const caddyfile = readFileSync(join(ROOT, 'ops/caddy/Caddyfile'), 'utf8');
    for (const name of Object.keys(proxy.environment ?? {}))
      assert.ok(caddyfile.includes(`{$${name}:`), name);
  });

  test("a link for operators leads to where they are served, not to customers' address, which has no console", () => {
    const { FIRMQUOTE_OPERATOR_LISTEN: inside, FIRMQUOTE_OPERATOR_URL: url = '' } = service.environment ?? {};
    assert.ok(inside?.endsWith(':4001') && service.ports?.includes('127.0.0.1:4001:4001'));
    assert.equal(url, 'http://localhost:4001');
  });

  test('each one that is waited for says when it is well', () => {
    assert.equal(database.healthcheck?.test[1], 'pg_isready');
    assert.match(service.healthcheck?.test.at(-1) ?? '', /127\.0\.0\.1:4000\/readyz'/);
  });
});

test('secrets.sh makes what compose.yaml asks for, readable by nobody else, once', (t) => {
  const secrets = secretsIn(t);
  const files = Object.values(compose.secrets).map(({ file }) => file.replace('./secrets/', ''));
  assert.deepEqual(readdirSync(secrets).sort(), files.toSorted());
  const content = (name: string) => readFileSync(join(secrets, name), 'utf8').trim();
  assert.equal(new URL(content('owner_url')).password, content('owner_password'));
  const again = spawnSync(join(FOLDER, 'secrets.sh'), [secrets]);
  assert.notEqual(again.status, 0, 'what is there is not replaced');
  const settings = Object.entries(service.environment ?? {}).map(([name, value]) => [
    name,
    value.replace('/run/secrets', secrets),
  ]);
  const config = loadConfig(Object.fromEntries(settings));
  assert.equal(config.mode, 'production');
  assert.match(
    config.databaseUrl ?? '',
    /^postgres:\/\/firmquote_service:\w+@%2Fvar%2Frun%2Fpostgresql\/firmquote$/,
  );
});

const COMMANDS = [['docker', 'compose'], ['docker-compose'], ['podman-compose']] as const;
const command = COMMANDS.find(([program, ...args]) => spawnSync(program, [...args, 'version']).status === 0);

test('a program for compose files takes it', {
  skip: command === undefined && 'there is no docker compose, docker-compose or podman-compose here',
}, () => {
  const [program, ...args] = command ?? ['false'];
  const { status, stderr } = spawnSync(program, [...args, '-f', FILE, 'config'], {
    encoding: 'utf8',
    env: { ...process.env, ...GIVEN },
  });
  assert.equal(status, 0, stderr);
});
