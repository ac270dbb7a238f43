import { connect } from 'node:tls';
import { FirmquoteError } from '@firmquote/client';
import type { Cli } from '../cli.ts';
import type { Settings } from '../config/settings.ts';
import { CliError, Finished } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { Register } from '../kit.ts';
import { NOTHING } from '../operations/flags.ts';
import { operationOf } from '../operations/table.ts';
import type { Service } from '../service.ts';
import { explainServiceError } from '../service-errors.ts';
import { VERSION } from '../version.ts';

/** What was looked at, and what came of it. */
interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly detail: string;
  readonly next: string | null;
}

/** A clock that is off by more is worth a word: tokens, signatures and expiry are by the service's, ms. */
const CLOCK_WARNING_MS = 30_000;
/** limit: How long a TLS handshake may take, ms. */
const TLS_MS = 10_000;
/** A certificate that ends sooner is worth a word, ms. */
const CERTIFICATE_WARNING_MS = 14 * 86_400_000;

export const register: Register = (group, kit) => {
  group
    .description(
      'Find problems: network, TLS, clock, credentials, scopes, prices.\n\nEach finding says what to do. Exits with 0 when nothing has failed.',
    )
    .action(
      kit.run(async (cli) => {
        const findings: Finding[] = [
          ok('version', `firmquote ${VERSION}, Node ${process.versions.node}, ${process.platform}`),
        ];
        const exitCode = await examine(cli, (finding) => findings.push(finding));
        await cli.print.many(findings, { columns: ['status', 'check', 'detail', 'next'] });
        if (exitCode !== EXIT.ok) throw new Finished(exitCode);
      }),
    );
};

type Add = (finding: Finding) => unknown;

/** In the order in which one thing needs another. @returns the exit code of the first failure */
async function examine(cli: Cli, add: Add): Promise<ExitCode> {
  let exitCode: ExitCode = EXIT.ok;
  const step = async (check: string, work: () => Promise<Finding>): Promise<boolean> => {
    try {
      const finding = await work();
      add(finding);
      if (finding.status !== 'failed') return true;
      exitCode ||= EXIT.unavailable;
      return false;
    } catch (error) {
      const reported = explained(error);
      add({ check, status: 'failed', detail: reported.message, next: reported.next });
      exitCode ||= reported.exitCode;
      return false;
    }
  };
  const settings = await cli.settings();
  add(
    ok(
      'profile',
      `${settings.profile ?? 'none'}; address by ${settings.from.baseUrl}, credentials by ${settings.from.credentials}`,
    ),
  );
  const service = await cli.service();
  if (settings.baseUrl.startsWith('https:') && !(await step('tls', () => tls(settings))))
    return exitCode || EXIT.unavailable;
  if (!(await step('reachable', () => reachable(service)))) return exitCode || EXIT.unavailable;
  await step('clock', () => clock(service));
  await step('environment', async () => ok('environment', await service.environment()));
  await step('ready', () => ready(service.publicClient.service.readiness(service.callOptions()), 'ready'));
  const isSignedIn = await step('token', () => token(cli, service, settings));
  await step('prices', () =>
    ready(service.publicClient.service.pricingReadiness(service.callOptions()), 'prices'),
  );
  if (isSignedIn) await step('pricing', () => pricing(service));
  else add({ check: 'pricing', status: 'skipped', detail: 'It needs a token.', next: null });
  return exitCode;
}

function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail, next: null };
}

function explained(error: unknown): {
  readonly message: string;
  readonly next: string | null;
  readonly exitCode: ExitCode;
} {
  if (error instanceof CliError)
    return { message: error.message, next: error.next ?? null, exitCode: error.exitCode };
  const reported = error instanceof FirmquoteError ? explainServiceError(error) : undefined;
  if (reported === undefined) throw error;
  // Whoever reads this has called the doctor already.
  const next =
    error instanceof FirmquoteError && /doctor/.test(reported.next ?? '')
      ? error.nextStep
      : (reported.next ?? null);
  return { message: reported.message, next, exitCode: reported.exitCode };
}

/** The handshake, by itself: `fetch` says only that it failed. */
function tls({ baseUrl }: Settings): Promise<Finding> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname,
      port: port === '' ? 443 : Number.parseInt(port, 10),
      servername: hostname,
      timeout: TLS_MS,
    });
    const failed = (detail: string, next: string) => {
      socket.destroy();
      resolve({ check: 'tls', status: 'failed', detail, next });
    };
    socket.on('secureConnect', () => {
      const { valid_to: until = '' } = socket.getPeerCertificate();
      const protocol = socket.getProtocol() ?? 'TLS';
      socket.end();
      const left = Date.parse(until) - Date.now();
      if (left < CERTIFICATE_WARNING_MS)
        resolve({
          check: 'tls',
          status: 'warning',
          detail: `${protocol}; the certificate expires ${until}`,
          next: 'Tell whoever runs the service.',
        });
      else resolve(ok('tls', `${protocol}; certificate until ${until}`));
    });
    socket.on('timeout', () =>
      failed('The TLS handshake timed out.', 'Check firewalls and proxies between you and the service.'),
    );
    socket.on('error', (error: NodeJS.ErrnoException) =>
      failed(
        `${error.message}`,
        /CERT|SELF_SIGNED|ALTNAME/.test(error.code ?? '')
          ? 'To trust an authority of your own, set NODE_EXTRA_CA_CERTS=ca.pem.'
          : 'Check the address and the network: firmquote config get base-url.',
      ),
    );
  });
}

async function reachable(service: Service): Promise<Finding> {
  const began = performance.now();
  await service.send(operationOf('getLiveness'), NOTHING);
  return ok('reachable', `${service.settings.baseUrl} in ${Math.round(performance.now() - began)} ms`);
}

async function clock({ client }: Service): Promise<Finding> {
  const { offsetMs, uncertaintyMs, isKnown } = client.clock;
  if (!isKnown)
    return {
      check: 'clock',
      status: 'warning',
      detail: 'The service does not say what time it has.',
      next: 'Check the proxies in between: one removes the Date header.',
    };
  const seconds = Math.round(Math.abs(offsetMs) / 1_000);
  const exactness = `± ${Math.max(0.1, Math.round(uncertaintyMs / 100) / 10)} s`;
  if (Math.abs(offsetMs) <= CLOCK_WARNING_MS) return ok('clock', `within ${exactness} of the service's`);
  const which = offsetMs > 0 ? 'behind' : 'ahead of';
  return {
    check: 'clock',
    status: 'warning',
    detail: `This machine is ${seconds} s ${which} the service's clock (${exactness}).`,
    next: 'Turn on time synchronisation (NTP). Firmquote itself uses the service’s clock.',
  };
}

interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, { readonly ok: boolean; readonly detail: string }>>;
}

async function ready(answer: PromiseLike<Readiness>, check: string): Promise<Finding> {
  const { ready: isReady, checks } = await answer;
  if (isReady) return ok(check, Object.keys(checks).join(', '));
  const wrong = Object.entries(checks)
    .filter(([, each]) => !each.ok)
    .map(([name, { detail }]) => `${name}: ${detail}`);
  return {
    check,
    status: 'failed',
    detail: wrong.join('; ') || 'not ready',
    next: 'Tell whoever runs the service to check /readyz and its log.',
  };
}

async function token(cli: Cli, service: Service, settings: Settings): Promise<Finding> {
  cli.requireCredentials(settings);
  const { exp } = await service.claims();
  const scopes = await service.scopes();
  const until = typeof exp === 'number' ? `until ${new Date(exp * 1_000).toISOString()}` : 'no expiry known';
  if (scopes.length === 0)
    return {
      check: 'token',
      status: 'warning',
      detail: `${until}; no scope`,
      next: 'Ask the operator for scopes: without one, the token permits nothing.',
    };
  return ok('token', `${await service.kind()}, ${until}; ${scopes.join(' ')}`);
}

/** Whether a price comes, for customers that may ask for one. */
async function pricing(service: Service): Promise<Finding> {
  const scopes = await service.scopes();
  if (!scopes.includes('quotes:read'))
    return {
      check: 'pricing',
      status: 'skipped',
      detail: 'Operators get no prices of their own.',
      next: null,
    };
  const body = { sellCurrency: 'EUR', buyCurrency: 'USD', fixedSide: 'sell', amount: '1000.00' };
  const { data } = await service.send(operationOf('getIndicativePrice'), { ...NOTHING, body });
  const { rate, tradable } = data as {
    readonly rate: { readonly pair: string; readonly value: string };
    readonly tradable: boolean;
  };
  if (tradable) return ok('pricing', `${rate.pair} ${rate.value}`);
  return {
    check: 'pricing',
    status: 'warning',
    detail: `${rate.pair} ${rate.value}, not tradable now`,
    next: 'firmquote reference market says when the market opens.',
  };
}
