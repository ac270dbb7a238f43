import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { loadConfig } from '../../packages/service/src/config.ts';
import { environmentOf, instructionsOf } from './containerfile.ts';
import { fromKit, ROOT, skipWithoutKit } from './kit.ts';
import { unknownSettings } from './settings.ts';

/** What is said of any object of Kubernetes; what is looked for in one is looked for by its path. */
interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Labels };
  readonly spec?: Spec;
  readonly data?: Readonly<Record<string, string>>;
}
type Labels = Readonly<Record<string, string>>;
interface Spec {
  readonly replicas?: number;
  readonly minAvailable?: number;
  readonly clusterIP?: string;
  readonly selector?: Labels & { readonly matchLabels?: Labels };
  readonly policyTypes?: readonly string[];
  readonly podSelector?: { readonly matchLabels: Labels };
  readonly strategy?: { readonly rollingUpdate: Readonly<Record<string, number>> };
  readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: Pod };
}
interface Pod {
  readonly automountServiceAccountToken: boolean;
  readonly enableServiceLinks: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly containers: readonly Container[];
  readonly volumes: readonly { readonly name: string; readonly secret?: { readonly secretName: string } }[];
}
interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom?: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly resources: { readonly limits: Readonly<Record<string, string>> };
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}
interface Probe {
  readonly httpGet: { readonly path: string };
}

const EXAMPLE = join(ROOT, 'ops/kubernetes/overlays/example');
const COMMANDS = [
  ['kubectl', 'kustomize'],
  ['kustomize', 'build'],
] as const;
const built = COMMANDS.map(([program, command]) =>
  spawnSync(program, [command, EXAMPLE], { encoding: 'utf8' }),
).find(({ error }) => error === undefined);
const skip = built === undefined && 'there is no kubectl or kustomize here';

describe('the example for Kubernetes', { skip }, () => {
  assert.equal(built?.status ?? 0, 0, built?.stderr);
  const resources: readonly Resource[] = parseAllDocuments(built?.stdout ?? '').map((each) => each.toJS());
  const one = (kind: string, name = 'firmquote'): Resource => {
    const found = resources.find((each) => each.kind === kind && each.metadata.name === name);
    return found ?? assert.fail(`there is no ${kind} ${name}`);
  };
  const pods = () =>
    [one('Deployment'), one('Job', 'firmquote-migrate')].map(({ kind, spec }) => {
      const pod = spec?.template?.spec ?? assert.fail(kind);
      return { kind, pod, container: pod.containers[0] ?? assert.fail(kind) };
    });
  const settings = () => resources.find(({ kind }) => kind === 'ConfigMap')?.data ?? {};

  test('is what Kubernetes takes', { skip: skipWithoutKit('kubernetes-models') }, async () => {
    const validate = async (resource: Resource): Promise<void> => {
      const path = `kubernetes-models/${resource.apiVersion}/${resource.kind}.js`;
      const { [resource.kind]: Model } = await fromKit<Record<string, Checked>>(path);
      assert.ok(Model !== undefined, path);
      new Model(resource).validate();
    };
    for (const resource of resources) await validate(resource);
    await assert.rejects(validate({ ...one('Deployment'), spec: { replicas: 2 } }), 'it would refuse');
    assert.ok(resources.length >= 8);
  });

  test('runs pods that a restricted namespace admits', () => {
    assert.equal(one('Namespace').metadata.labels?.['pod-security.kubernetes.io/enforce'], 'restricted');
    const instructions = instructionsOf(readFileSync(join(ROOT, 'ops/container/Containerfile'), 'utf8'));
    const [user] = instructions.findLast(({ name }) => name === 'USER')?.text.split(':') ?? [];
    for (const { kind, pod, container } of pods()) {
      const { runAsNonRoot, runAsUser, seccompProfile } = pod.securityContext;
      assert.deepEqual([runAsNonRoot, String(runAsUser)], [true, user], kind);
      assert.deepEqual(seccompProfile, { type: 'RuntimeDefault' });
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      assert.equal(pod.automountServiceAccountToken, false);
      assert.equal(pod.enableServiceLinks, false, 'FIRMQUOTE_PORT is not for Kubernetes to set');
      assert.ok(container.resources.limits.memory !== undefined);
      assert.match(container.image, /@sha256:[0-9a-f]{64}$/);
      const mounted = container.volumeMounts.map(({ name }) => name).sort();
      assert.deepEqual(mounted, pod.volumes.map(({ name }) => name).sort());
      assert.ok(container.volumeMounts.some(({ mountPath }) => mountPath === '/tmp'));
    }
    const paths = pods()[0]?.container.volumeMounts.map(({ mountPath }) => mountPath);
    assert.ok(paths?.includes(environmentOf(instructions).FIRMQUOTE_DATA_DIR ?? ''));
  });

  test('keeps serving while a version is replaced or a node is drained', () => {
    const { replicas = 0, strategy } = one('Deployment').spec ?? {};
    assert.ok(replicas >= 2);
    assert.equal(strategy?.rollingUpdate.maxUnavailable, 0);
    assert.equal(one('PodDisruptionBudget').spec?.minAvailable, 1);
    const [service] = pods();
    assert.ok((service?.pod.terminationGracePeriodSeconds ?? 0) >= 45, 'a stop takes 40 s at most');
    const { startupProbe, livenessProbe, readinessProbe } = service?.container ?? {};
    assert.deepEqual(
      [startupProbe, livenessProbe, readinessProbe].map((probe) => probe?.httpGet.path),
      ['/healthz', '/healthz', '/readyz'],
    );
  });

  test('finds its pods by the labels that they have', () => {
    const labels = one('Deployment').spec?.template?.metadata.labels ?? {};
    const selectors = [
      one('Deployment').spec?.selector?.matchLabels,
      one('PodDisruptionBudget').spec?.selector?.matchLabels,
      one('Service').spec?.selector,
      one('Service', 'firmquote-operators').spec?.selector,
      one('NetworkPolicy').spec?.podSelector?.matchLabels,
    ];
    for (const selector of selectors) {
      assert.ok(selector !== undefined);
      for (const [name, value] of Object.entries(selector)) assert.equal(labels[name], value, name);
    }
    assert.equal(one('Service', 'firmquote-operators').spec?.clusterIP, 'None');
    assert.deepEqual(one('NetworkPolicy').spec?.policyTypes, ['Ingress', 'Egress']);
    assert.ok(
      resources.every(({ kind, metadata }) => kind === 'Namespace' || metadata.namespace === 'firmquote'),
    );
  });

  test('gives the owner of the tables to the migration alone', () => {
    const secretsOf = ({ pod }: { readonly pod: Pod }) =>
      pod.volumes.flatMap(({ secret }) => secret?.secretName ?? []);
    assert.deepEqual(pods().map(secretsOf), [['firmquote'], ['firmquote', 'firmquote-owner']]);
    assert.deepEqual(
      pods().map(({ container }) => container.args[0]),
      ['start', 'migrate'],
    );
  });

  test('has settings that the service takes', (t) => {
    const names = [
      ...Object.keys(settings()),
      ...pods().flatMap(({ container }) => container.env?.map(({ name }) => name) ?? []),
    ];
    assert.deepEqual(unknownSettings(names), []);
    const folder = mkdtempSync(join(tmpdir(), 'firmquote-kubernetes-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const ca = '/run/secrets/firmquote/database-ca';
    const address = `postgres://firmquote_service:x@db.internal/firmquote?sslmode=verify-full&sslrootcert=${ca}`;
    writeFileSync(join(folder, 'service-url'), address);
    writeFileSync(join(folder, 'key'), Buffer.alloc(32, 7).toString('base64'));
    const given = Object.entries(settings()).map(([name, value]) => [
      name,
      value.replace('/run/secrets/firmquote', folder),
    ]);
    const config = loadConfig(Object.fromEntries(given));
    assert.deepEqual([config.mode, config.databaseUrl], ['production', address]);
  });
});

type Checked = new (resource: Resource) => { validate(): void };
