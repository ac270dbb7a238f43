import { code, type Page, page, table } from './page.ts';
import { duration, evaluate, sourceFiles } from './source.ts';

const REGISTERED = /\bname: '(\w+)',\s+does:\s+(?:'([^']+)'|"([^"]+)"),\s+everyMs: ([\w *]+),/g;

interface RegisteredSweep {
  readonly name: string;
  readonly does: string;
  readonly every: string;
}

/** Every sweep as it stands in the source, by name. */
export function sweeps(): RegisteredSweep[] {
  const all = sourceFiles().flatMap((file) => {
    const found = [...file.text.matchAll(REGISTERED)].map(([, name = '', plain, quoted, everyMs = '']) => {
      const ms = evaluate(everyMs, file);
      if (ms === undefined) throw new Error(`${file.path}: how often ${name} runs cannot be read`);
      return { name, does: plain ?? quoted ?? '', every: duration(ms) };
    });
    const registered = file.text.match(/\beveryMs: (?!number)/g)?.length ?? 0;
    if (registered !== found.length)
      throw new Error(`${file.path}: a sweep is written as name, does, everyMs`);
    return found;
  });
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function sweepsPage(): Page {
  const rows = sweeps().map(({ name, every, does }) => [code(name), every, does]);
  return page('sweeps.md', 'Sweeps', 'the sweeps that packages/service/src registers', [
    'Work that time brings. One run of each at a time in a process; any instance may run any of them, and each row is moved by',
    'compare-and-swap or under a lock that others pass over, so nothing happens twice. [Metrics](metrics.md) count their runs.',
    '',
    ...table(['Sweep', 'Every', 'Does'], rows),
  ]);
}
