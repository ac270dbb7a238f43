import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readFlags } from '../scripts/flags.ts';
import { Report } from './report.ts';
import { GROWTH_MAX_MB_PER_HOUR, Slopes } from './slopes.ts';
import { soak } from './soak.ts';

/**
 * Two instances of the service on a durable database of their own, customers and operators at random, a bank whose
 * books are the truth, and trouble: killed databases, killed and stopped instances. In the end everything that was
 * told must be there, once, and the books must be the bank's. Exits with 1 when a rule is broken.
 *
 * With `--steady` the first instance is left alive, so that its memory and the times of its answers can be followed:
 * `--minutes 60 --steady` exits with 1 when it grows by more than `--growth` megabytes in an hour.
 */
const flags = readFlags({
  usage: 'npm run soak [-- --minutes 10 --seed 7 --log soak.log --steady --growth 48]',
  values: ['minutes', 'seed', 'log', 'growth'],
  switches: ['steady'],
});
const minutes = flags.number('minutes', 10, 0.01, 1_440, 2);
const seed = flags.number('seed', 1 + (Date.now() % 1_000_000), 1, 4_294_967_295);
const maxMbPerHour = flags.number('growth', GROWTH_MAX_MB_PER_HOUR, 0.01, 100_000, 2);
const slopes = new Slopes();
const log = resolve(flags.text('log') ?? `soak-${seed}.log`);
writeFileSync(log, '');
const report = new Report(log);
const folder = mkdtempSync(join(realpathSync(tmpdir()), 'firmquote-soak-'));
// Started by root, the database runs as another user, who must be able to pass.
chmodSync(folder, 0o711);
console.log(`soak: seed ${seed}, ${minutes} min, ${availableParallelism()} cores, log ${log}`);
try {
  const isSteady = flags.has('steady');
  await soak({ folder, seconds: minutes * 60, seed, slopes, isSteady }, report);
} catch (error) {
  report.violation(
    'the soak runs to its end',
    error instanceof Error ? (error.stack ?? error.message) : String(error),
  );
}
const rows = slopes.judge(report, maxMbPerHour);
const table = `${report.table()}\n\n${rows.join('\n')}`;
report.note(`\n${table}`);
console.log(`\n${table}\n\nseed ${seed}: ${report.violated ? 'rules are broken' : 'every rule holds'}`);
rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
process.exit(report.violated ? 1 : 0);
