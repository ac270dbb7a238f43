// Runs a TypeScript file of the project with the project's own Node: node scripts/run.mjs <file> [arguments]
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { buildConsole } from './build-console.mjs';
import { withServiceEnvironment } from './service-environment.mjs';
import { ROOT, setUp } from './setup.mjs';
import { needsFix, setUpFix } from './setup-fix.mjs';
import { kitOf, setUpKit } from './setup-kits.mjs';
import { isCurrentNodeEnough, NODE_MAJOR_MIN, ownNodeIn } from './setup-npm.mjs';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** One Ctrl-C arrives several times: from the terminal, which signals every process in it, and again from npm. */
const SAME_SIGNAL_MS = 1_000;
const PARENT_POLL_MS = 500;

/** What V8 has compiled, and what TypeScript became without its types: a start takes half the time with it. */
const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/compiled');

const SERVICE = 'packages/service/src/main.ts';
/** Programs that serve the console, or hold that it is served. */
const WITH_CONSOLE = [SERVICE, 'scripts/verify.ts', 'scripts/ci.ts'];

/** npm leaves `pre...` scripts out under `ignore-scripts`, so the set-up is looked at here too. */
const kit = kitOf(process.argv[2]);
const code =
  (await setUp()) ||
  (needsFix(process.env, process.argv[2]) ? await setUpFix() : 0) ||
  (kit === undefined ? 0 : await setUpKit(kit));
if (code !== 0) process.exit(code);
// Whoever cannot build it has the service without it, which says so where it would be.
if (WITH_CONSOLE.includes(process.argv[2])) await buildConsole();
const node = chooseNode();
if (node === undefined) {
  console.error(
    `This is Node ${process.version}; Firmquote needs ${NODE_MAJOR_MIN} or later. Run "npm ci" or install it.`,
  );
  process.exit(1);
}
runChild(node, process.argv.slice(2));

function chooseNode() {
  const own = ownNodeIn(ROOT);
  if (existsSync(own)) return own;
  return isCurrentNodeEnough() ? process.execPath : undefined;
}

/**
 * The child gets a session of its own, so that signals reach it through here only, each once, and it can finish its
 * work. The pipe on descriptor 3 tells it when this process is gone, however it went (see parent-watch.mjs).
 */
function runChild(command, args) {
  const watch = join(ROOT, 'scripts/parent-watch.mjs');
  const environment = args[0] === SERVICE ? withServiceEnvironment(process.env) : process.env;
  let forwardedAt = Number.NEGATIVE_INFINITY;
  let child;
  const forward = (signal) => {
    const now = performance.now();
    if (now - forwardedAt < SAME_SIGNAL_MS) return;
    forwardedAt = now;
    child.kill(signal);
  };
  // Before there is a child: what came between the two would end this process alone.
  for (const signal of SIGNALS) process.on(signal, forward);
  child = spawn(command, ['--import', watch, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE, ...environment, FIRMQUOTE_PARENT_PIPE: '3' },
    detached: process.platform !== 'win32',
  });
  const poll = watchNpm(() => {
    // Of who is stopping already, a second signal would cut off the requests under way.
    if (forwardedAt === Number.NEGATIVE_INFINITY) forward('SIGTERM');
  });
  child.on('error', (error) => {
    console.error(`${command} cannot be run: ${error.message}`);
    process.exit(126);
  });
  child.on('exit', (exitCode, signal) => {
    clearInterval(poll);
    for (const name of SIGNALS) process.removeListener(name, forward);
    endStragglers(child.pid);
    passOn(exitCode, signal);
  });
}

/** Under `npm run`, npm's death is a reason to end: an npm that is killed hands no signal on. */
function watchNpm(onDeath) {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const before = npmProcess();
  return setInterval(() => {
    if (npmProcess() !== before) onDeath();
  }, PARENT_POLL_MS).unref();
}

/** The parent, or the parent's parent when npm's `sh -c` has stayed between the two. A dead parent is replaced. */
function npmProcess() {
  try {
    const command = readFileSync(`/proc/${process.ppid}/cmdline`, 'utf8').split('\0');
    if (command[1] !== '-c') return process.ppid;
    // After the command's name, which stands in parentheses: state, parent.
    const fields = readFileSync(`/proc/${process.ppid}/stat`, 'utf8').split(') ').at(-1);
    return Number.parseInt(fields.split(' ')[1], 10);
  } catch {
    return process.ppid;
  }
}

/** Children which the child has left behind in its session's first group, as when it was killed. */
function endStragglers(pid) {
  if (process.platform === 'win32') return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // There are none.
  }
}

function passOn(exitCode, signal) {
  if (signal === null) process.exit(exitCode);
  process.kill(process.pid, signal);
}
