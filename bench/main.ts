import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Measurement } from './measure.ts';
import { readOptions } from './options.ts';
import { isSound, machineLines, reportLines } from './report.ts';
import { openStage } from './stage.ts';

/**
 * Load from a second process against the service on a durable PostgreSQL of its own, in turns with what it is held against: the
 * floor (bare Fastify), the design of one INSERT a request, and `pgbench` TPC-B on the same server. Every answer is checked, and in
 * the end the database must hold exactly the rows that were answered for; otherwise it ends with 1. Goals that are missed are
 * seen in the tables. `--results` writes bench/RESULTS.md.
 */
async function main(): Promise<number> {
  const options = readOptions();
  const stage = await openStage(options, (line) => console.error(line));
  try {
    const { rows } = await stage.pool.query<{ server_version: string }>('show server_version');
    const argv = process.argv.slice(2);
    const command = ['npm run bench', ...(argv.length === 0 ? [] : ['--', ...argv])].join(' ');
    const figures = await new Measurement(stage, options, (line) => console.error(line)).run();
    const lines = [
      ...machineLines(options, rows[0]?.server_version ?? '', command),
      ...reportLines(figures, options),
    ];
    console.log(lines.join('\n'));
    if (options.isKept) {
      const text = ['# Results', '', ...lines, ''].join('\n');
      writeFileSync(join(import.meta.dirname, 'RESULTS.md'), text);
    }
    return isSound(figures) ? 0 : 1;
  } finally {
    await stage.close();
  }
}

process.exitCode = await main();
