// The FIX gateway: a process that the service starts when its sources name a FIX session. It takes its orders on
// standard input and ends when that ends, that is, with the service, however that went.
import { LINE_LENGTH_MAX, type ServiceLine } from '../../service/src/market/fix/protocol.ts';
import { Gateway } from './gateway.ts';
import { LineWriter, readLines } from './lines.ts';

/** Sessions log out first; a venue that does not answer must not keep the process. */
const STOP_LIMIT_MS = 5_000;

const writer = new LineWriter(process.stdout, () => {
  process.stderr.write('the service does not read its lines\n');
  process.exit(1);
});
const gateway = new Gateway(
  (line) => writer.write(line),
  () => writer.conflated,
);
let stopping: Promise<void> | undefined;

function stop(): Promise<void> {
  stopping ??= gateway.stop().then(() => process.exit(0));
  setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
  return stopping;
}

process.stdout.on('error', () => stop());
// The terminal's Ctrl-C reaches the service too, which ends this process in its own time.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => stop());
writer.write({ type: 'ready' });
await readLines(process.stdin, LINE_LENGTH_MAX, (text) => {
  const line = JSON.parse(text) as ServiceLine;
  if (line.type === 'stop') void stop();
  else gateway.take(line);
});
await stop();
