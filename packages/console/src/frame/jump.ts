/** Where each kind of id is shown. */
const PLACES: readonly (readonly [prefix: string, path: (id: string) => string])[] = [
  ['quote_', (id) => `/quotes/${id}`],
  ['txn_', (id) => `/transactions/${id}`],
  ['cus_', (id) => `/customers/${id}`],
  ['exc_', (id) => `/exceptions/${id}`],
  ['dep_', (id) => `/deposits?deposit=${id}`],
  ['apr_', (id) => `/approvals?approval=${id}`],
  ['run_', (id) => `/payments?run=${id}`],
  ['stf_', (id) => `/statements?file=${id}`],
  ['whk_', (id) => `/webhooks/${id}`],
];

/** The page of an id, or undefined for what is none of those that have a page. */
export function jumpTarget(text: string): string | undefined {
  const id = text.trim();
  if (!/^[a-z]+_[0-9a-z]{20,40}$/.test(id)) return undefined;
  return PLACES.find(([prefix]) => id.startsWith(prefix))?.[1](id);
}
