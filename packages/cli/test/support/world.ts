import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startTestService, type TestService } from '../../../service/test/support/service.ts';
import { type End, Home, type RunOptions } from './command.ts';

/** A real service, and command lines for it. */
export interface World {
  readonly service: TestService;
  readonly home: Home;
  /** The file that the sandbox writes. */
  readonly sandboxFile: string;
  /** Settings of the environment that make somebody the customer, or an operator. */
  readonly asCustomer: Readonly<Record<string, string>>;
  readonly asOperator: Readonly<Record<string, string>>;
  /** Runs a command line as the customer of the sandbox, unless the environment is given. */
  run(line: string | readonly string[], options?: RunOptions): Promise<End>;
  /** The same, which must end with 0; the data that it has printed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  data(line: string | readonly string[], options?: RunOptions): Promise<any>;
}

export async function startWorld(environment: Readonly<Record<string, string>> = {}): Promise<World> {
  const service = await startTestService(environment);
  const home = new Home();
  const sandboxFile = join(home.folder, 'sandbox.json');
  writeFileSync(sandboxFile, JSON.stringify(service.sandbox), { mode: 0o600 });
  const { baseUrl, audience, customer, operator } = service.sandbox;
  const as = ({ clientId, clientSecret }: typeof customer) => ({
    FIRMQUOTE_BASE_URL: baseUrl,
    FIRMQUOTE_AUDIENCE: audience,
    FIRMQUOTE_CLIENT_ID: clientId,
    FIRMQUOTE_CLIENT_SECRET: clientSecret,
  });
  const asCustomer = as(customer);
  const run = (line: string | readonly string[], options: RunOptions = {}) =>
    home.run(typeof line === 'string' ? line.split(' ') : line, { env: asCustomer, ...options });
  return {
    ...{ service, home, sandboxFile, asCustomer, run },
    asOperator: as(operator),
    async data(line, options) {
      const { code, stdout, stderr } = await run(line, options);
      if (code !== 0) throw new Error(`${String(line)} ended with ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
  };
}
