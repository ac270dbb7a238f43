// A FIX venue to try the service with: npm run fix-demo
//   --library        the gateway's own library instead of QuickFIX
//   --port <number>  instead of any free one
//   --every <ms>     between two prices, 250 by default
// It makes up prices of four pairs, and prints the settings with which the service takes its prices from it.
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { MarketMaker } from './testing/market-maker.ts';
import { buildQuickfixVenue, QuickfixVenue } from './testing/quickfix-venue.ts';

const FOLDER = resolve('data/fix-demo');
const PAIRS = ['EURUSD', 'GBPUSD', 'USDJPY', 'USDCHF'];
const US = 'FIRMQUOTE';
const THEM = 'DEMO';

interface DemoVenue {
  readonly engine: string;
  readonly port: number;
  close(): Promise<void>;
}

interface DemoOptions {
  readonly useLibrary: boolean;
  readonly port: number;
  readonly intervalMs: number;
  readonly password: string;
}

function readOptions(): DemoOptions {
  const { values } = parseArgs({
    options: {
      library: { type: 'boolean', default: false },
      port: { type: 'string', default: '0' },
      every: { type: 'string', default: '250' },
    },
  });
  const number = (name: 'port' | 'every', min: number, max: number): number => {
    const value = /^\d{1,6}$/.test(values[name]) ? Number.parseInt(values[name], 10) : -1;
    if (value < min || value > max) throw new Error(`--${name} must be a whole number from ${min} to ${max}`);
    return value;
  };
  return {
    useLibrary: values.library,
    port: number('port', 0, 65_535),
    intervalMs: number('every', 10, 60_000),
    password: randomBytes(9).toString('base64url'),
  };
}

async function openVenue({ useLibrary, port, intervalMs, password }: DemoOptions): Promise<DemoVenue> {
  const built = useLibrary ? { reason: '--library' } : buildQuickfixVenue();
  if ('program' in built) {
    const venue = await QuickfixVenue.start({
      program: built.program,
      folder: join(FOLDER, 'quickfix'),
      compId: THEM,
      parties: [US],
      password,
      intervalMs,
      ...(port === 0 ? {} : { port }),
    });
    return { engine: 'QuickFIX', port: venue.port, close: () => venue.end() };
  }
  const maker = await MarketMaker.open({ compId: THEM, password, port, intervalMs });
  return {
    engine: `jspurefix, not QuickFIX (${built.reason})`,
    port: maker.venue.port,
    close: () => maker.close(),
  };
}

function writeSessionFile(port: number): string {
  const demo = {
    host: '127.0.0.1',
    port,
    tls: false,
    senderCompId: US,
    targetCompId: THEM,
    username: 'demo',
    passwordEnv: 'FIX_DEMO_PASSWORD',
    pairs: PAIRS,
    updates: 'incremental',
    heartbeatSeconds: 5,
    // The venue begins anew with every start of this program.
    resetSequence: true,
  };
  const file = join(FOLDER, 'sessions.json');
  writeFileSync(file, `${JSON.stringify({ sessions: { demo } }, null, 2)}\n`);
  return relative('.', file);
}

try {
  const options = readOptions();
  mkdirSync(FOLDER, { recursive: true });
  const venue = await openVenue(options);
  const file = writeSessionFile(venue.port);
  process.stdout.write(`A FIX 4.4 venue listens on 127.0.0.1:${venue.port} (${venue.engine}).
It makes prices of ${PAIRS.join(', ')} and takes orders. Press Ctrl-C to stop it.

Start the service in another terminal with these prices; the simulator makes those of all other pairs:

  FIRMQUOTE_SOURCES=simulated,fix:demo FIRMQUOTE_FIX_SESSIONS=${file} FIX_DEMO_PASSWORD=${options.password} npm start
`);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => venue.close().then(() => process.exit(0)));
  }
} catch (error) {
  process.stderr.write(`fix-demo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
