/** Of more items than this only the first ones are looked at together: five of twenty are 15,504 ways, and no more. */
export const GROUP_SEARCH_MAX = 20; // limit: Open trades of a customer and currency that are searched for groups

/**
 * Groups of 2 to `sizeMax` items whose amounts add up to the sum exactly. The first items in the order given go before
 * all others (docs/interface.md#matching: oldest value date first); otherwise at most two groups are answered, which is enough to
 * know that it is not the only one.
 * @param amountOf more than zero
 */
export function exactGroups<T>(
  items: readonly T[],
  amountOf: (item: T) => bigint,
  sum: bigint,
  sizeMax: number,
  searchMax: number,
): T[][] {
  let first = 0n;
  for (const [index, item] of items.slice(0, sizeMax).entries()) {
    first += amountOf(item);
    if (first === sum && index > 0) return [items.slice(0, index + 1)];
  }
  if (items.length > searchMax) return [];
  const found: T[][] = [];
  const group: T[] = [];
  const search = (from: number, rest: bigint): void => {
    for (let index = from; index < items.length && found.length < 2; index++) {
      const item = items[index] as T;
      const left = rest - amountOf(item);
      if (left < 0n) continue;
      group.push(item);
      if (left === 0n && group.length > 1) found.push([...group]);
      else if (left > 0n && group.length < sizeMax) search(index + 1, left);
      group.pop();
    }
  };
  search(0, sum);
  return found;
}
