import type { AuditEntry } from '@firmquote/client/operator';
import { Subject, Value } from '../approvals/effects.tsx';
import { kindInWords } from '../approvals/policy-words.ts';
import { Verbatim, words } from '../parts/text.tsx';
import { columnInWords, typeId } from './columns.ts';
import { differences } from './differences.ts';

type Changes = AuditEntry['changes'];
type Row = Changes[number];

const APPROVALS = 'approvals';

/** Nothing was done: somebody has asked for it, and a second person decides. */
export function isProposal(changes: Changes): boolean {
  return changes.some(
    (row) => row.table === APPROVALS && membersOf(row.before).status === undefined && proposed(row),
  );
}

const proposed = ({ after }: Row) => membersOf(after).status === 'pending';

/** The rows that an act has changed, as people read them. */
export function RowsChanged({ changes }: { readonly changes: Changes }) {
  if (changes.length === 0) return '–';
  return (
    <details>
      <summary>
        {changes.length} {changes.length === 1 ? 'row' : 'rows'}
      </summary>
      {changes.map((row, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the trail never changes
        <div key={place}>
          {row.table === APPROVALS && proposed(row) ? <Proposed row={row} /> : <Changed row={row} />}
        </div>
      ))}
    </details>
  );
}

/** What was asked for stands in the proposal itself. */
function Proposed({ row: { key, after } }: { readonly row: Row }) {
  const { id = membersOf(key).id, kind, reason } = membersOf(after);
  return (
    <>
      <b>{typeof kind === 'string' ? kindInWords(kind) : 'A proposal'}</b>
      {typeof reason === 'string' && (
        <>
          : <Verbatim text={reason} />
        </>
      )}
      {typeof id === 'string' && (
        <>
          {' '}
          <Subject id={typeId('apr', id)} />
        </>
      )}
    </>
  );
}

function Changed({ row: { table, key, before, after } }: { readonly row: Row }) {
  const known = { ...membersOf(key), ...membersOf(before), ...membersOf(after) };
  return (
    <>
      <b>{words(table)}</b> <Key of={membersOf(key)} />
      <ul className="diff">
        {differences(before, after).map(({ column, before: was, after: is }) => {
          const { name, value, currency } = columnInWords(column, known);
          const shown = (stored: string) => (
            <Value of={value(stored)} name={currency === undefined ? column : 'amount'} currency={currency} />
          );
          return (
            <li key={column}>
              {name === '' ? 'Value' : name}: {was !== undefined && <del>{shown(was)}</del>}
              {was !== undefined && is !== undefined && ' → '}
              {is !== undefined && <ins>{shown(is)}</ins>}
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** Which row it is: the customer by name, other ids as others write them. */
function Key({ of }: { readonly of: Readonly<Record<string, unknown>> }) {
  const parts = Object.entries(of).map(([column, stored]) => {
    const { name, value } = columnInWords(column, of);
    return { name, text: value(typeof stored === 'string' ? stored : JSON.stringify(stored)) };
  });
  return parts.map(({ name, text }) => (
    <span key={name} className="dim">
      {name === 'Id' || text.startsWith('cus_') ? '' : `${name} `}
      <Value of={text} name={name} currency={undefined} />{' '}
    </span>
  ));
}

function membersOf(row: unknown): Readonly<Record<string, unknown>> {
  return typeof row === 'object' && row !== null && !Array.isArray(row)
    ? (row as Record<string, unknown>)
    : {};
}
