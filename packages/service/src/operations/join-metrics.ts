interface Family {
  readonly head: string[];
  readonly samples: string[];
}

/** One text of Prometheus' form of several, in which each family stands once. Each text's samples have a label of their own. */
export function joinMetrics(texts: Iterable<string>): string {
  const families = new Map<string, Family>();
  for (const text of texts) {
    let family: Family | undefined;
    let isKnown = false;
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const [, kind, name = ''] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? [];
      if (kind === 'HELP') {
        isKnown = families.has(name);
        family = families.get(name) ?? { head: [], samples: [] };
        families.set(name, family);
      }
      if (kind === undefined) family?.samples.push(line);
      else if (!isKnown) family?.head.push(line);
    }
  }
  return [...families.values()].map(({ head, samples }) => `${[...head, ...samples].join('\n')}\n`).join('');
}
