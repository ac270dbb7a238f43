import type { AutomaticHalt, Halt } from '@firmquote/client/operator';

/** What holds back quotes of a pair for a customer, as dealers read it. */
export interface HeldBack {
  readonly what: string;
  readonly since: string;
  readonly why: string;
}

/** @param pair six letters, as in `EURUSD` */
export function heldBackBy(
  halts: readonly Halt[],
  automatic: readonly AutomaticHalt[],
  pair: string,
  customerId: string,
): readonly HeldBack[] {
  const name = `${pair.slice(0, 3)}/${pair.slice(3)}`;
  const whats: Readonly<Record<string, string | undefined>> = {
    all: 'The whole market is halted',
    pair: `${name} is halted`,
    customer: 'Quotes of this customer are halted',
  };
  const concerns = (halt: Halt) =>
    halt.scope === 'all' || (halt.scope === 'pair' ? halt.pair === pair : halt.customerId === customerId);
  return [
    ...halts
      .filter(concerns)
      .map(({ scope, haltedAt, reason }) => ({ what: whats[scope] ?? name, since: haltedAt, why: reason })),
    ...automatic
      .filter((halt) => halt.pair === pair)
      .map(({ since, sources }) => ({
        what: `${name} is halted automatically`,
        since,
        why: `${sources.join(' and ')} disagree`,
      })),
  ];
}
