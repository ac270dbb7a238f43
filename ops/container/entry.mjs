// What an image runs: what `npm run` has by the same name, in this process and without npm.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';

const ROOT = resolve(import.meta.dirname, '../..');
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
/** Programs of the service; what tests and measures is no part of an image. */
const PROGRAM = /^node scripts\/run\.mjs (packages\/(?:service|cli)\/src\/\S+)(.*)$/;

const [name = 'start', ...args] = process.argv.slice(2);
const [, file, fixed = ''] = PROGRAM.exec(Object.hasOwn(scripts, name) ? scripts[name] : '') ?? [];
if (file === undefined) {
  const names = Object.keys(scripts).filter((each) => PROGRAM.test(scripts[each]));
  process.stderr.write(`firmquote: There is no program ${name}. Programs: ${names.join(', ')}.\n`);
  process.exit(2);
}
// The system keeps from the first process of a container what it does not listen to: without this a program that does not
// listen, or not yet, goes on until it is killed.
const CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };
for (const signal of process.pid === 1 ? Object.keys(CODES) : [])
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(CODES[signal]);
  });
const program = join(ROOT, file);
process.argv = [process.argv[0], program, ...fixed.split(' ').filter(Boolean), ...args];
await import(program);
