import { isIP } from 'node:net';
import { ConfigError, quoted } from './setting.ts';
import type { ListenAddress } from './setting-values.ts';

/** Settings that are each right by itself, and not together. Each throws ConfigError with one line that names what to change. */

/** The second listener would fail as the first one has the port: that reads as if another program had it, and is tried again for ever. */
export function requireListenersApart({
  host,
  port,
  operatorListen,
}: ListenAddress & { readonly operatorListen: ListenAddress | undefined }): void {
  if (operatorListen === undefined || port === 0 || port !== operatorListen.port) return;
  if (!overlap(host.toLowerCase(), operatorListen.host.toLowerCase())) return;
  throw new ConfigError(
    `FIRMQUOTE_OPERATOR_LISTEN must not be where FIRMQUOTE_HOST and FIRMQUOTE_PORT are: port ${port} on ${host} serves customers. Give it another port.`,
  );
}

const OF_THIS_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1']);

/** Whether what listens at one has the other, too. On `::` most systems listen for both families. */
function overlap(one: string, other: string): boolean {
  const both = [one, other];
  if (one === other || both.includes('::')) return true;
  if (both.includes('0.0.0.0')) return both.every((host) => isIP(host) !== 6);
  return both.includes('localhost') && both.every((host) => OF_THIS_MACHINE.has(host));
}

/** A token of one kind fails at routes of the other by its audience before anybody looks at its scopes (0016). In a sandbox both are one. */
export function requireAudiencesApart({
  mode,
  audience,
  baseUrl,
  operatorAudience,
}: Readonly<
  Record<'mode', string> & Record<'audience' | 'baseUrl' | 'operatorAudience', string | undefined>
>): void {
  const customers = audience ?? baseUrl;
  if (mode !== 'production' || operatorAudience === undefined || operatorAudience !== customers) return;
  throw new ConfigError(
    `FIRMQUOTE_OPERATOR_AUDIENCE must differ from the audience of customers, ${quoted(customers)}, in production: a token must be good for one of the two only.`,
  );
}
