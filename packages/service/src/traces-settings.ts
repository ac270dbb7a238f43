import { hostname } from 'node:os';
import type { Logger } from './platform/logger.ts';
import { readSecret, secretSettings } from './secret-settings.ts';
import { ConfigError, type Environment, quoted, readSetting, required, setting, text } from './setting.ts';
import { httpUrl } from './setting-values.ts';

/** Where traces go, under the names that OpenTelemetry gives these settings everywhere. */
export interface TracesSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Of the requests, from 0 to 1. */
  readonly share: number;
  readonly serviceName: string;
}

export const TRACES_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    'Address of an OpenTelemetry collector, such as `http://127.0.0.1:4318`; traces go to its `/v1/traces` (OTLP over HTTP, JSON). Default: no traces.',
    undefined,
    httpUrl,
  ),
  ...secretSettings(
    'OTEL_EXPORTER_OTLP_HEADERS',
    'Headers that the collector needs, such as `api-key=…`, comma separated.',
    headers,
  ),
  OTEL_SERVICE_NAME: setting('Name of the service in traces.', 'firmquote', text),
  OTEL_TRACES_SAMPLER_ARG: setting('Share of the requests that are traced, from 0 to 1.', '1', share),
} as const;

/** `name=value,…`, values with percent signs (W3C Baggage). Never part of a message. */
function headers(value: string, name: string): Readonly<Record<string, string>> {
  const pairs = value.split(',').map((part) => /^\s*([\w-]+)=([\x21-\x7e]*)\s*$/.exec(part) ?? []);
  try {
    return Object.fromEntries(
      pairs.map(([, header, content]) => {
        if (header === undefined || content === undefined) throw new URIError();
        return [header, decodeURIComponent(content)];
      }),
    );
  } catch {
    throw new ConfigError(`${name} must be name=value, comma separated.`);
  }
}

function share(value: string, name: string): number {
  const number = /^(0|1|0?\.\d{1,6}|1\.0|0\.0)$/.test(value) ? Number.parseFloat(value) : Number.NaN;
  if (Number.isNaN(number)) throw new ConfigError(`${name} must be from 0 to 1, not ${quoted(value)}.`);
  return number;
}

export function readTracesSettings(environment: Environment): TracesSettings | undefined {
  const s = TRACES_SETTINGS;
  const url = readSetting(environment, 'OTEL_EXPORTER_OTLP_ENDPOINT', s.OTEL_EXPORTER_OTLP_ENDPOINT);
  if (url === undefined) return undefined;
  const given = readSecret(environment, 'OTEL_EXPORTER_OTLP_HEADERS', s);
  return {
    url: `${url}/v1/traces`,
    headers: given ?? {},
    share: required(environment, 'OTEL_TRACES_SAMPLER_ARG', s.OTEL_TRACES_SAMPLER_ARG),
    serviceName: required(environment, 'OTEL_SERVICE_NAME', s.OTEL_SERVICE_NAME),
  };
}

/** A collector that is away is told of this often. */
const TROUBLE_EVERY_MS = 60_000;

/** Begins to trace, where that is set. @returns sends off what is left */
export async function startTraces(
  settings: TracesSettings | undefined,
  mode: string,
  logger: Logger,
): Promise<() => Promise<void>> {
  if (settings === undefined) return async () => undefined;
  // Loaded only where it is wanted.
  const { startTracing } = await import('@firmquote/telemetry');
  let warnedAt = Number.NEGATIVE_INFINITY;
  return startTracing({
    ...settings,
    resource: {
      'service.name': settings.serviceName,
      'service.instance.id': `${hostname()}:${process.pid}`,
      'deployment.environment.name': mode,
    },
    onTrouble: (message) => {
      if (performance.now() - warnedAt < TROUBLE_EVERY_MS) return;
      warnedAt = performance.now();
      logger.warn({ reason: message.slice(0, 500) }, 'traces cannot be sent');
    },
  });
}
