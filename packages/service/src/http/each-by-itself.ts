import { Problem } from '../problems/problem.ts';

/** What became of one of many. */
export type ItemOutcome<Done> =
  | { readonly outcome: 'done'; readonly done: Done }
  | { readonly outcome: 'refused'; readonly problem: Problem }
  | { readonly outcome: 'failed' };

/**
 * The same work on many items, one after the other, each in a commit of its own: one that cannot be done keeps none of the others
 * from it.
 * @param onFailure told of what no problem explains; such an item may be tried again
 */
export async function eachByItself<Item, Done>(
  items: readonly Item[],
  work: (item: Item) => Promise<Done>,
  onFailure: (error: unknown, item: Item) => void,
): Promise<ItemOutcome<Done>[]> {
  const outcomes: ItemOutcome<Done>[] = [];
  for (const item of items) {
    try {
      outcomes.push({ outcome: 'done', done: await work(item) });
    } catch (error) {
      if (error instanceof Problem) outcomes.push({ outcome: 'refused', problem: error });
      else {
        onFailure(error, item);
        outcomes.push({ outcome: 'failed' });
      }
    }
  }
  return outcomes;
}

/**
 * The same in another order than that of the request, for work whose locks last until one commit ends all of it.
 * @param place where an item stands in that order
 * @returns outcomes in the order of the request
 */
export async function eachInOrder<Item, Done>(
  items: readonly Item[],
  place: (item: Item) => number,
  work: (item: Item) => Promise<Done>,
  onFailure: (error: unknown, item: Item) => void,
): Promise<ItemOutcome<Done>[]> {
  const inOrder = [...items.entries()].sort(([, a], [, b]) => place(a) - place(b));
  const done = await eachByItself(
    inOrder,
    ([, item]) => work(item),
    (error, [, item]) => onFailure(error, item),
  );
  const outcomes = new Map(inOrder.map(([at], turn) => [at, done[turn]]));
  return [...items.keys()].flatMap((at) => outcomes.get(at) ?? []);
}

/** What became of an item as the API shows it, without what names it. */
export function outcomeView(
  each: ItemOutcome<{ readonly status: string; readonly version: number }>,
): Record<string, unknown> {
  return {
    outcome: each.outcome,
    status: each.outcome === 'done' ? each.done.status : null,
    version: each.outcome === 'done' ? each.done.version : null,
    problem: each.outcome === 'refused' ? itemProblem(each.problem) : null,
  };
}

/** A problem as it stands in the outcome of an item. */
export function itemProblem({ code, status, message: detail, members }: Problem): {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
} {
  return { ...members, code, status, detail };
}
