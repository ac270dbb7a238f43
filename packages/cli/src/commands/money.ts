import { basename } from 'node:path';
import type { StatementFilePreview } from '@firmquote/client/operator';
import { CliError, usage } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Register } from '../kit.ts';
import { NOTHING, readInput, readJson } from '../operations/flags.ts';
import { operationOf } from '../operations/table.ts';
import type { Service } from '../service.ts';

const DEPOSIT = [
  'depositId',
  'status',
  'amount=amount currency',
  'allocatedAmount',
  'remitterName',
  'valueDate',
  'customerId',
  'remittanceText',
];

const suggestCommand: Register = (group, kit) => {
  group
    .command('suggest')
    .argument('<depositId>')
    .summary('Suggest transactions for a deposit (operators)')
    .description('Show the transactions that the exception of a deposit suggests.')
    .action(
      kit.run(async (cli, [id]) => {
        const service = await cli.service('operator');
        const exceptionId = await exceptionOf(service, String(id));
        const found = exceptionId === undefined ? undefined : await service.get('getException', exceptionId);
        const { suggestions = [] } = (found ?? {}) as { readonly suggestions?: readonly unknown[] };
        const columns = [
          'transactionId',
          'score',
          'reference',
          'status',
          'currency',
          'outstandingAmount',
          'reasonsFor',
          'reasonsAgainst',
        ];
        await cli.print.many(suggestions, { columns, empty: 'There are no suggestions.' });
      }),
    );
};

export const deposits: Register = (group, kit) => {
  kit.operation(group, 'list', {
    id: 'listOwnDeposits',
    operatorId: 'listDeposits',
    columns: DEPOSIT,
    empty: 'There are no deposits.',
  });
  kit.operation(group, 'get', { id: 'getOwnDeposit', operatorId: 'getDeposit' });
  kit.operation(group, 'accounts', {
    id: 'listOwnAccounts',
    summary: 'List the accounts you are paid to',
  });
  suggestCommand(group, kit);
  kit.operation(group, 'match', {
    id: 'matchDeposit',
    summary: 'Match a deposit to transactions (operators)',
  });
  kit.operation(group, 'replace-top-up', {
    id: 'replaceTopUp',
    summary: 'Give a deposit the place of a top-up by hand (operators)',
  });
  kit.operation(group, 'unmatch', { id: 'unmatchDeposit', summary: 'Undo a match (operators)' });
  kit.operation(group, 'ignore', { id: 'ignoreDeposit', summary: 'Set a deposit aside (operators)' });
  kit.operation(group, 'release', {
    id: 'releaseDeposit',
    summary: 'Release a held deposit (operators)',
  });
  kit.operation(group, 'return', { id: 'returnDeposit', summary: 'Return a deposit (operators)' });
  kit.operation(group, 'book', { id: 'bookDeposit', summary: 'Book a deposit to the house (operators)' });
  kit.operation(group, 'forgive', {
    id: 'forgiveShortfall',
    summary: 'Forgive a shortfall (operators)',
  });
  kit.operation(group, 'assign', {
    id: 'assignDeposit',
    summary: 'Assign a deposit (operators)',
  });
  kit.operation(group, 'note', { id: 'addDepositNote', summary: 'Add a note (operators)' });
  kit.operation(group, 'history', {
    id: 'getDepositHistory',
    summary: 'Show the history of a deposit (operators)',
  });
  kit.operation(group, 'counts', { id: 'countDeposits', summary: 'Count deposits by status (operators)' });
  kit.operation(group, 'record', { id: 'recordDeposit', summary: 'Record a deposit (operators)' });
};

/** The exception that a deposit waits with; undefined where it waits for nobody. */
async function exceptionOf(service: Service, depositId: string): Promise<string | undefined> {
  const deposit = (await service.get('getDeposit', depositId)) as { readonly exception?: object | null };
  if (deposit.exception === undefined || deposit.exception === null) return undefined;
  const query = { ...NOTHING, query: { status: ['open'] } };
  for await (const each of service.items(operationOf('listExceptions'), query, 200)) {
    const { depositId: of, exceptionId } = each as {
      readonly depositId: string | null;
      readonly exceptionId: string;
    };
    if (of === depositId) return exceptionId;
  }
  return undefined;
}

const FORMAT = [
  '--format <format>',
  'camt, mt940, csv, json or pain.002; by default it is detected',
] as const;
const nameOf = (path: string) => (path === '-' ? 'stdin' : basename(path));

const importCommand: Register = (group, kit) => {
  group
    .command('import')
    .argument('<file...>')
    .summary('Import bank files')
    .description(
      'Import bank files: camt.052, camt.053, camt.054, pain.002, MT940, MT942, CSV, JSON, also packed.\n\nA file with an error is refused as a whole, with line and reason. A file imported before changes nothing. - is stdin.',
    )
    .option(...FORMAT)
    .option('--mapping <name>', 'Mapping for CSV files; by default the one that fits the file name')
    .option('--name <name>', 'File name for stdin')
    .action(
      kit.run(async (cli, [files], { format, mapping, name }) => {
        const service = await cli.service('operator');
        const operation = operationOf('importStatementFile');
        const paths = files as string[];
        if (name !== undefined && paths.length > 1) throw usage('--name works with one file only.');
        await service.confirmWrite('Importing statements');
        const progress = cli.progress();
        const reports: unknown[] = [];
        try {
          for (const [index, path] of paths.entries()) {
            const bytes = await readInput(cli.io, path);
            progress?.show(
              `${index + 1} of ${paths.length}: ${basename(path)} (${bytes.byteLength} bytes) …`,
            );
            const query = { name: name ?? nameOf(path), format, mapping };
            const { data } = await service.send(operation, { ...NOTHING, query, body: bytes });
            reports.push(data);
            progress?.end();
            const { status, statements: found, newEntries } = data as Readonly<Record<string, unknown>>;
            const statements = found === 1 ? '1 statement' : `${found} statements`;
            const entries = newEntries === 1 ? '1 new entry' : `${newEntries} new entries`;
            await cli.note(`${query.name}: ${status}, ${statements}, ${entries}.`);
          }
        } finally {
          progress?.end();
        }
        const columns = [
          'fileId',
          'name',
          'status',
          'format',
          'statements',
          'entries',
          'newEntries',
          'warnings',
        ];
        if (reports.length === 1) return cli.print.one(reports[0], { columns });
        await cli.print.many(reports, { columns });
      }),
    );
};

const previewCommand: Register = (group, kit) => {
  group
    .command('preview')
    .argument('<file>')
    .summary('Show what an import of a bank file would read')
    .description(
      'Show what an import of a bank file would read, or why it would be refused. Nothing is kept or booked. - is stdin.',
    )
    .option(...FORMAT)
    .option('--mapping <name>', 'Mapping for a CSV file; by default the one that fits the file name')
    .option('--draft-mapping <json>', 'Mapping to try, as JSON or @file; it is not kept')
    .option('--name <name>', 'File name; by default that of the file')
    .action(
      kit.run(async (cli, [file], { format, mapping, draftMapping, name }) => {
        const service = await cli.service('operator');
        const path = String(file);
        const body = await readInput(cli.io, path);
        const draft =
          draftMapping === undefined
            ? undefined
            : await readJson(cli.io, String(draftMapping), '--draft-mapping');
        const query = {
          ...{ name: name ?? nameOf(path), format, mapping },
          draftMapping: draft === undefined ? undefined : JSON.stringify(draft),
        };
        const { data } = await service.send(operationOf('previewStatementFile'), { ...NOTHING, query, body });
        const preview = data as StatementFilePreview;
        await cli.print.one(preview, {
          list: 'firstPayments',
          columns: PREVIEWED,
          empty: 'No entry was read.',
        });
        const { refusal, receivedBefore } = preview;
        await cli.note(`${query.name}: ${readIn(preview)}`);
        if (receivedBefore !== null)
          await cli.note(
            `The same file was sent before: ${receivedBefore.fileId}, ${receivedBefore.status}.`,
          );
        if (refusal === null) return;
        const where = refusal.line === null ? '' : `Line ${refusal.line}: `;
        throw new CliError(EXIT.refused, refusal.reason, `It would be refused. ${where}${refusal.detail}.`);
      }),
    );
};

const PREVIEWED = [
  ...['line', 'bookingDate', 'direction', 'amount=amount currency'],
  ...['counterpartyName', 'remittanceText', 'bankReference'],
];

/** What was read, in a sentence. */
function readIn({ statements, entries, sums }: StatementFilePreview): string {
  const found = [
    statements === 1 ? '1 statement' : `${statements} statements`,
    entries === 1 ? '1 entry' : `${entries} entries`,
    ...sums.map(({ currency, credits, debits }) => `${currency} +${credits.amount} -${debits.amount}`),
  ];
  return `${found.join(', ')}.`;
}

export const statements: Register = (group, kit) => {
  importCommand(group, kit);
  previewCommand(group, kit);
  kit.operation(group, 'list', {
    id: 'listStatementFiles',
    columns: ['fileId', 'name', 'status', 'format', 'statements', 'newEntries', 'receivedAt'],
  });
  kit.operation(group, 'get', { id: 'getStatementFile' });
  kit.operation(group, 'entries', { id: 'listEntriesOfFile' });
  kit.operation(group, 'accept', { id: 'acceptStatementFile' });
  kit.operation(group, 'withdraw', { id: 'withdrawStatementFile' });
  kit.operation(group, 'delete', { id: 'deleteStatementFile' });
  kit.operation(group, 'download', { id: 'downloadStatementFile' });
};
