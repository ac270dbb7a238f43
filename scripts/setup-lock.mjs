// Lets one set-up at a time work in a checkout.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

const BEAT_MS = 1_000;
const POLL_MS = 200;
/** The holder's processes are asked for after this long without a sign of life, */
const SILENCE_MS = 3_000;
/** and no longer after this long: their ids may by then be somebody else's. */
const SILENCE_MAX_MS = 60_000;

/**
 * Waits for the lock of a checkout and takes it. It is a folder (making one is atomic) beside node_modules, since
 * `npm ci` empties that; its own .gitignore keeps it out of sight. A holder that was killed is found out by its
 * silence, together with the npm that it may have left behind.
 */
export async function takeSetupLock(root) {
  const folder = join(root, '.setup-lock');
  let told = false;
  while (!make(folder)) {
    if (isAbandoned(folder)) {
      discard(folder);
      continue;
    }
    if (!told) console.log('Another set-up is running in this folder; waiting for it ...');
    told = true;
    await sleep(POLL_MS);
  }
  const processes = [process.pid];
  const write = () => writeFileSync(join(folder, 'processes'), processes.join('\n'));
  writeFileSync(join(folder, '.gitignore'), '*\n');
  write();
  const beat = setInterval(() => {
    const now = Date.now() / 1000;
    try {
      utimesSync(folder, now, now);
    } catch {
      // Removed by hand; the set-up still ends properly.
    }
  }, BEAT_MS);
  beat.unref();
  return {
    addProcess(pid) {
      processes.push(pid);
      write();
    },
    release() {
      clearInterval(beat);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function make(folder) {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function isAbandoned(folder) {
  try {
    const silence = Date.now() - statSync(folder).mtimeMs;
    if (silence < SILENCE_MS) return false;
    if (silence > SILENCE_MAX_MS) return true;
    const processes = readFileSync(join(folder, 'processes'), 'utf8').split('\n');
    return !processes.some((pid) => isAlive(Number.parseInt(pid, 10)));
  } catch (error) {
    // Gone in the meantime (try again), or its holder died before it wrote its process id.
    return error.code === 'ENOENT';
  }
}

function isAlive(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Renamed first: of two who find it abandoned only one gets it. Who then gets a new lock gives it back. */
function discard(folder) {
  const old = `${folder}.${process.pid}`;
  try {
    renameSync(folder, old);
    if (isAbandoned(old)) rmSync(old, { recursive: true, force: true });
    else renameSync(old, folder);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}
