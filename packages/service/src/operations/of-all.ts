import type { Neighbours } from '../platform/neighbours.ts';
import type { Check } from './health.ts';

interface Answer<Name extends string> {
  readonly ready: boolean;
  readonly checks: Readonly<Record<Name, Check>>;
}

/**
 * The service is ready when each of its processes is: of each check the first that fails.
 * @param question what the others are asked; they answer as this one does
 * @param whole the check that fails when one does not answer
 */
export async function ofAll<Name extends string>(
  own: Answer<Name>,
  neighbours: Neighbours | undefined,
  question: string,
  whole: Name,
): Promise<Answer<Name>> {
  if (neighbours === undefined) return own;
  const answers = await neighbours.ask(question);
  const checks: Record<Name, Check> = { ...own.checks };
  for (let number = 1; number <= neighbours.count; number++) {
    if (number === neighbours.own) continue;
    const answer = answers.get(number) as Answer<Name> | undefined;
    if (answer === undefined) fail(whole, number, 'it does not answer');
    else
      for (const name of namesOf(answer))
        if (!answer.checks[name].ok) fail(name, number, answer.checks[name].detail);
  }
  return { ready: namesOf({ checks }).every((name) => checks[name].ok), checks };

  function fail(name: Name, number: number, detail: string): void {
    if (checks[name].ok) checks[name] = { ok: false, detail: `process ${number}: ${detail}` };
  }
}

function namesOf<Name extends string>({ checks }: Pick<Answer<Name>, 'checks'>): Name[] {
  return Object.keys(checks) as Name[];
}
