import assert from 'node:assert/strict';
import type { Pool } from '../../src/database/pool.ts';
import type { Answer } from './service.ts';

/** Where operators say something in their own words, by the service's own document, and where it is written. */

/** What a test writes there, to find it again. */
export const MARK = 'AML case 4711';
export const OPERATOR = '/v1/operator';
/** Members of requests in which an operator says something in words of their own. */
const WORDS = /\/(reason|note|detail|assignee|source|groupName|externalReference)$/;

/** What is said in other places is written into these columns only, which {@link markColumns} marks. */
export const COLUMNS: Readonly<Record<string, string>> = {
  'POST deposits/commands /reason': 'deposit_history.reason',
  'POST deposits/commands /assignee': 'reconciliation_exceptions.assignee',
  'POST deposits/{depositId}/forgive /reason': 'deposit_history.reason',
  'POST deposits/{depositId}/release /reason': 'deposit_history.reason',
  'POST deposits/{depositId}/returns/{returnId}/paid /reason': 'deposit_history.reason',
  'POST exceptions/commands /note': 'exception_history.note',
  'POST exceptions/commands /assignee': 'reconciliation_exceptions.assignee',
  'POST exceptions/{exceptionId}/assign /assignee': 'reconciliation_exceptions.assignee',
  'POST exceptions/{exceptionId}/assign /note': 'exception_history.note',
  'POST exceptions/{exceptionId}/resolve /note': 'exception_history.note',
  'POST exceptions/{exceptionId}/retry /note': 'exception_history.note',
  'POST statement-entries/{entryId}/book /reason': 'exception_history.note',
  'POST statement-entries/{entryId}/match /reason': 'exception_history.note',
  'POST statement-entries/{entryId}/another /reason': 'exception_history.note',
  'POST statement-entries/{entryId}/same /reason': 'exception_history.note',
  'POST statement-entries/{entryId}/never-booked /reason': 'exception_history.note',
  'POST statements/{fileId}/accept /reason': 'statement_files.accepted_reason',
  'POST statements/{fileId}/withdraw /reason': 'statement_files.withdrawn_reason',
  'POST settlement-runs/{runId}/cancel /reason': 'approvals.reason',
  'POST approvals/{approvalId}/approve /note': 'approvals.note',
  'POST approvals/{approvalId}/reject /note': 'approvals.note',
  'PUT swap-points/{pair} /reason': 'swap_point_versions.reason',
  'POST market/sources/{source}/reset-sequence /reason': 'market_sequence_resets.reason',
  'POST pairs/{pair}/accepted-prices /reason': 'market_accepted_prices.reason',
};
/** Members that are of a list, or no words about a customer. */
export const NO_WORDS = new Set([
  // Names of price sources, which customers read where all is disclosed to them.
  `POST ${OPERATOR}/prices /source`,
  `POST ${OPERATOR}/prices/withdraw /source`,
  `POST ${OPERATOR}/swap-points /source`,
  `PUT ${OPERATOR}/swap-points/{pair} /source`,
  `PUT ${OPERATOR}/swap-point-policy /interestRates/[]/source`,
  // Groups are customers' prices, and named in these only.
  ...['POST spread-rules/preview', 'PUT spread-rules', 'PUT spread-rules/draft', 'PUT amount-limits'].flatMap(
    (route) => {
      const [method, path] = route.split(' ');
      return ['/groupName', '/rules/[]/groupName', '/limits/[]/groupName'].map(
        (name) => `${method} ${OPERATOR}/${path} ${name}`,
      );
    },
  ),
]);

/** The address of the document that a path is one of. */
export function templateOf(document: Answer['body'], path: string): string {
  const segments = path.split('/');
  const found = Object.keys(document.paths)
    .filter((template) => {
      const parts = template.split('/');
      return (
        parts.length === segments.length &&
        parts.every((part, i) => part.startsWith('{') || part === segments[i])
      );
    })
    .sort((a, b) => a.split('{').length - b.split('{').length)[0];
  assert.ok(found, path);
  return found;
}

/** Writes the mark into every column for words, in every row that there is, as far as no list of codes forbids it. */
export async function markColumns(pool: Pool): Promise<Set<string>> {
  const { rows } = await pool.query<{ name: string; column: string }>(
    `select c.table_name as name, c.column_name as column from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type = 'text'
       and c.column_name ~ '(^|_)(reason|note|detail|assignee|group_name|external_reference)$'`,
  );
  const marked = new Set<string>();
  const connection = await pool.connect();
  try {
    for (const { name, column } of rows) {
      // Written by the lifecycle, whose type knows codes only.
      if (`${name}.${column}` === 'transactions.status_reason') continue;
      for (const rowsOf of ['', ` where ${column} is not null`]) {
        const done = await connection
          .query(
            `begin; alter table ${name} disable trigger user;
             update ${name} set ${column} = '${MARK}'${rowsOf};
             alter table ${name} enable trigger user; commit`,
          )
          .then(
            () => true,
            (error: { code?: string }) => {
              assert.equal(error.code, '23514', `${name}.${column}: ${error}`);
              return false;
            },
          );
        if (done) {
          marked.add(`${name}.${column}`);
          break;
        }
        await connection.query('rollback');
      }
    }
  } finally {
    connection.release();
  }
  return marked;
}

/** Members of operators' requests that take words, as `METHOD path /member`. */
export function placesOf(document: Answer['body']): string[] {
  const places: string[] = [];
  for (const [path, methods] of Object.entries(
    document.paths as Record<string, Record<string, Answer['body']>>,
  )) {
    if (!path.startsWith(OPERATOR)) continue;
    for (const [method, { requestBody }] of Object.entries(methods)) {
      for (const { schema } of Object.values(requestBody?.content ?? {}) as { schema: unknown }[]) {
        for (const member of new Set(textsOf(schema)))
          if (WORDS.test(member)) places.push(`${method.toUpperCase()} ${path} ${member}`);
      }
    }
  }
  return places;
}

function textsOf(schema: Answer['body'], at = ''): string[] {
  const branches = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const inside = branches.flatMap((branch) => textsOf(branch, at));
  if (schema.enum !== undefined || schema.const !== undefined) return [];
  if ([schema.type].flat().includes('string')) return [at, ...inside];
  if (schema.items !== undefined) return [...inside, ...textsOf(schema.items, `${at}/[]`)];
  const members = Object.entries(schema.properties ?? {});
  return [...inside, ...members.flatMap(([name, member]) => textsOf(member, `${at}/${name}`))];
}
