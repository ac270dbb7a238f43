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

/** A problem as it stands in the outcome of an item. */
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

export function itemProblem({ code, status, message: detail, members }: Problem): {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
} {
  return { ...members, code, status, detail };
}
