import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';

const COPIED = ['packages', 'scripts', 'docs', 'bench', '.ci', 'package.json', 'tsconfig.json', 'biome.json'];

/** A copy of the project in a folder, with the packages of the original. @returns its root */
export function copyTree(root: string, folder: string): string {
  const tree = join(folder, 'tree');
  mkdirSync(tree);
  const documents = readdirSync(root).filter((name) => name.endsWith('.md'));
  for (const name of [...COPIED, ...documents]) {
    if (!existsSync(join(root, name))) continue;
    cpSync(join(root, name), join(tree, name), {
      recursive: true,
      filter: (path) => basename(path) !== 'node_modules',
    });
  }
  linkPackages(root, tree);
  // Tests look for bank files and rates beside the project.
  const shared = join(root, '..', 'shared');
  if (existsSync(shared)) symlinkSync(shared, join(folder, 'shared'));
  return tree;
}

/** The packages themselves are shared; the project's own are those of the copy. */
function linkPackages(root: string, tree: string): void {
  const [from, to] = [join(root, 'node_modules'), join(tree, 'node_modules')];
  mkdirSync(join(to, '@firmquote'), { recursive: true });
  for (const name of readdirSync(from)) {
    if (name !== '@firmquote' && name !== '.cache') symlinkSync(join(from, name), join(to, name));
  }
  for (const name of readdirSync(join(from, '@firmquote'))) {
    symlinkSync(join('..', '..', 'packages', name), join(to, '@firmquote', name));
  }
}
