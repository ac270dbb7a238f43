/** A line of a Containerfile, with what goes on behind a backslash. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

export function instructionsOf(containerfile: string): Instruction[] {
  return containerfile
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', text = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? [];
      return { name, text: text.replaceAll(/\s+/g, ' ') };
    });
}

/** The variables that an image sets. */
export function environmentOf(instructions: readonly Instruction[]): Record<string, string> {
  const pairs = instructions
    .filter(({ name }) => name === 'ENV')
    .flatMap(({ text }) => [...text.matchAll(/(\w+)=(\S+)/g)]);
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, value]));
}
