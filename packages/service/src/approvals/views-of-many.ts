import type { RawCommand, ServedOperation } from '../http/command-desk.ts';
import type { Caller } from '../http/context.ts';
import { Problem } from '../problems/problem.ts';

/**
 * Each of many things as an operation shows it, by its place; one that there is not is null.
 * @param many parameters of the operation
 */
export async function viewsOfMany(
  served: ServedOperation,
  many: readonly RawCommand['params'][],
  caller: Caller,
  now: number,
): Promise<Readonly<Record<string, unknown>>> {
  const views: [place: number, view: unknown][] = [];
  // One after the other: they may share a connection.
  for (const [place, params] of many.entries())
    views.push([place, await viewOf(served, params, caller, now)]);
  return Object.fromEntries(views);
}

async function viewOf(
  served: ServedOperation,
  params: RawCommand['params'],
  caller: Caller,
  now: number,
): Promise<unknown> {
  try {
    const { body } = await served.run(
      { params, query: {}, body: undefined, ifMatch: undefined },
      caller,
      now,
    );
    return typeof body === 'string' ? JSON.parse(body) : body;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
}
