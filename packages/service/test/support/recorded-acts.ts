import { subscribe } from 'node:diagnostics_channel';
import { OPERATIONS } from '@firmquote/api/operations/index';
import { ANSWER_CHANNEL, type DeclaredAnswer } from '../../src/http/serve.ts';

/** Operations whose row cannot be in the commit of their change, each with the reason. */
export const NOT_IN_COMMIT: Readonly<Record<string, string>> = {
  testWebhook: 'it sends, and changes nothing',
  setOwnCredentialKeys: 'who takes away keys where there are none changes nothing',
};

/** Operations that commit more than once, and leave a row in each of their commits. */
export const SEVERAL_COMMITS: Readonly<Record<string, string>> = {
  commandDeposits: 'each of the deposits is a commit of its own',
  commandExceptions: 'each of the exceptions is a commit of its own',
  commandTransactions: 'each of the transactions is a commit of its own',
  importStatementFile: 'a file is taken in whole, then each entry is applied in a commit of its own',
};

const WATCHED = new Set(OPERATIONS.filter(({ path }) => !path.startsWith('/v1/sandbox/')));

/** The most rows that an answer of each had, in this file. */
const rowsOf = new Map<string, number>();

subscribe(ANSWER_CHANNEL.name, (message) => {
  const { operation, status, written } = message as DeclaredAnswer;
  // What tests make up is no operation, and the simulated world is nobody's act.
  if (written === undefined || status >= 300 || !WATCHED.has(operation)) return;
  rowsOf.set(operation.id, Math.max(rowsOf.get(operation.id) ?? 0, written));
});

/** What changes something leaves one row in the commit of the change; an answer that changed nothing leaves one of its own. */
export function assertActsRecorded(): void {
  const wrong = [...rowsOf].flatMap(([id, rows]) => {
    if (rows === 0 && !(id in NOT_IN_COMMIT)) return [`${id} has no row in its commit`];
    return rows > 1 && !(id in SEVERAL_COMMITS) ? [`${id} has ${rows} rows`] : [];
  });
  rowsOf.clear();
  if (wrong.length > 0) throw new Error(`audit trail: ${wrong.join(', ')}`);
}
