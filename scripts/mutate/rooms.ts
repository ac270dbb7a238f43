/** What is sampled when nothing else is asked for, and the folders of each: packages, or rooms of the service. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  fx: ['fx'],
  ledger: ['ledger'],
  transactions: ['transactions'],
  quotes: ['quotes'],
  payments: ['payments'],
  deposits: ['deposits', 'exceptions'],
  balances: ['balances'],
  exposure: ['exposure'],
  pricing: ['pricing'],
  'bank-statements': ['bank-statements', 'bank-formats'],
};

/** The room of a file of the project; a folder that belongs to none of the above is one of its own. */
export function roomOf(file: string): string {
  const [, unit = '', , name = ''] = file.split('/');
  const folder = unit !== 'service' ? unit : name.endsWith('.ts') ? 'service' : name;
  return Object.keys(ROOMS).find((room) => ROOMS[room]?.includes(folder)) ?? folder;
}

/** Packages without I/O and state, whose tests can share a process. */
export const isPure = (file: string) => /^packages\/(?:fx|bank-formats)\//.test(file);
