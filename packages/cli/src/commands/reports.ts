import { setTimeout as sleep } from 'node:timers/promises';
import type { Cli } from '../cli.ts';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Register } from '../kit.ts';
import { printAnswer } from '../operations/call.ts';
import { NOTHING } from '../operations/flags.ts';
import { operationOf } from '../operations/table.ts';
import type { Service } from '../service.ts';

/** Between two looks at a report that is being made, ms. */
const POLL_MS = 500;
const COLUMNS = ['reportId', 'report', 'format', 'status', 'rows', 'bytes', 'createdAt', 'expiresAt'];
/** Reports that are answered at once, by their names. */
const AT_ONCE: Readonly<Record<string, string>> = {
  blotter: 'getBlotterReport',
  'settlement-ladder': 'getSettlementLadderReport',
  exposure: 'getExposureReport',
  'pair-positions': 'getPairPositionsReport',
  'spread-revenue': 'getSpreadRevenueReport',
  reconciliation: 'getReconciliationReport',
  overdue: 'getOverdueReport',
  suspense: 'getSuspenseReport',
  exceptions: 'getExceptionsReport',
  deposits: 'getDepositsReport',
  journal: 'getJournalReport',
  'trial-balance': 'getTrialBalanceReport',
};

export const register: Register = (group, kit) => {
  const create = kit.operation(group, 'create', {
    id: 'requestReport',
    summary: 'Request a report of any size',
    columns: COLUMNS,
  });
  create.option('--wait', 'Wait until it is complete').action(
    kit.run(async (cli, _args, options) => {
      const { fill } = await import('../operations/flags.ts');
      const operation = operationOf('requestReport');
      const service = await cli.service('operator');
      const { data } = await service.send(operation, await fill(cli.io, operation, [], options));
      const report = options.wait === true ? await made(cli, service, (data as Report).reportId) : data;
      await cli.print.one(report, { columns: COLUMNS });
    }),
  );
  kit.operation(group, 'list', { id: 'listReports', columns: COLUMNS, empty: 'There are no reports.' });
  kit.operation(group, 'get', { id: 'getReport', columns: COLUMNS });
  group
    .command('download')
    .argument('<reportId>')
    .description('Download a report once it is complete')
    .option('--save <file>', 'Write it to a file instead of stdout')
    .action(
      kit.run(async (cli, [id], { save }) => {
        const service = await cli.service('operator');
        await made(cli, service, String(id));
        const { data } = await service.send(
          operationOf('downloadReport'),
          { ...NOTHING, path: [String(id)] },
          { isFile: true },
        );
        await printAnswer(cli, data, { save });
      }),
    );
  kit.operation(group, 'delete', { id: 'deleteReport' });
  for (const [name, id] of Object.entries(AT_ONCE)) {
    const { summary } = operationOf(id);
    kit.operation(group, name, { id, summary: `${summary}, at once` });
  }
};

interface Report {
  readonly reportId: string;
  readonly status: string;
  readonly failure?: string | null;
}

async function made(cli: Cli, service: Service, reportId: string): Promise<Report> {
  const progress = cli.progress();
  try {
    for (;;) {
      const report = (await service.get('getReport', reportId)) as Report;
      if (report.status === 'failed') {
        throw new CliError(
          EXIT.refused,
          'report_failed',
          `The report could not be made: ${report.failure ?? 'no reason given'}.`,
          'Request it again: firmquote reports create …',
        );
      }
      if (report.status === 'completed') return report;
      progress?.show(`The report is ${report.status} …`);
      await sleep(POLL_MS);
    }
  } finally {
    progress?.end();
  }
}
