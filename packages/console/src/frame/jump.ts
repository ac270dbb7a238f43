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
  ['je_', (id) => `/ledger?tab=journal&entry=${id}`],
  ['whk_', (id) => `/webhooks/${id}`],
];

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/** A payment file is known to the bank by its run's id, as `FQ` and 32 hexadecimal digits (MsgId). */
function runOfMessage(text: string): string | undefined {
  const [, hex] = /^FQ([0-9a-f]{32})$/i.exec(text) ?? [];
  if (hex === undefined) return undefined;
  const bits = BigInt(`0x${hex}`);
  const digit = (_: unknown, at: number) => DIGITS[Number((bits >> BigInt(5 * (25 - at))) & 31n)] ?? '';
  return `run_${Array.from({ length: 26 }, digit).join('')}`;
}

/** The page of an id, or undefined for what is none of those that have a page. */
export function jumpTarget(text: string): string | undefined {
  const id = runOfMessage(text.trim()) ?? text.trim();
  if (!/^[a-z]+_[0-9a-z]{20,40}$/.test(id)) return undefined;
  return PLACES.find(([prefix]) => id.startsWith(prefix))?.[1](id);
}
