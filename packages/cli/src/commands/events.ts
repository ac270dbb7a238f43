import type { FollowOptions } from '@firmquote/client';
import { countOf } from '../count.ts';
import type { Register } from '../kit.ts';
import { mostOf, pageSizeFor, printUpTo } from '../operations/call.ts';
import { NOTHING } from '../operations/flags.ts';
import { operationOf } from '../operations/table.ts';
import { textOf, valueAt } from '../output/fields.ts';
import { safeText } from '../output/safe-text.ts';

const listCommand: Register = (group, kit) => {
  group
    .command('list')
    .description('List events of your quotes and transactions, oldest first')
    .option('--after <eventId>', 'Only events after this one')
    .option('--types <types>', 'Only these types: transaction.created,transaction.settled')
    .option('--limit <count>', 'Maximum number of events', '100')
    .option('--all', 'All events')
    .action(
      kit.run(async (cli, _args, { after, types, limit, all }) => {
        const most = mostOf({ limit, all });
        const service = await cli.service('customer');
        const query = {
          after: after as string | undefined,
          types: (types as string | undefined)?.split(','),
          limit: pageSizeFor(most),
        };
        await service.dryRun(operationOf('listEvents'), { ...NOTHING, query });
        const events = service.client.events.list(query as never, service.callOptions());
        await printUpTo(cli, events, most, { columns: COLUMNS, empty: 'There are no events yet.' });
      }),
    );
};

const tailCommand: Register = (group, kit) => {
  group
    .command('tail')
    .summary('Follow events until Ctrl-C')
    .description(
      'Follow events of your quotes and transactions, until Ctrl-C. None is lost and none comes twice.\n\nStarts with new events, or after an event that you name. Without a terminal, each event is a line of JSON.',
    )
    .option('--after <eventId>', 'Start after this event; “start” is the oldest one kept')
    .option('--types <types>', 'Only these types: transaction.created,transaction.settled')
    .option('--count <events>', 'Stop after this many events')
    .action(
      kit.run(async (cli, _args, { after, types, count }) => {
        const most = count === undefined ? Number.POSITIVE_INFINITY : countOf(count, '--count');
        const service = await cli.service('customer');
        const query = {
          after: after === 'start' ? undefined : ((after as string | undefined) ?? 'latest'),
          types: (types as string | undefined)?.split(','),
        };
        await service.dryRun(operationOf('listEvents'), { ...NOTHING, query });
        const stop = new AbortController();
        const forget = cli.io.onInterrupt(() => stop.abort());
        const isLines = cli.print.format !== 'table';
        let seen = 0;
        try {
          const follow = service.client.events.follow({
            ...(query as FollowOptions),
            signal: stop.signal,
            onMissed: (missed) =>
              void cli.note(
                `${missed} events are gone: they are kept for 30 days. Check your transactions instead.`,
              ),
          });
          if (seen < most) await cli.note('Waiting for events. Press Ctrl-C to stop.');
          for await (const event of follow) {
            await (isLines ? cli.print.line(event) : cli.print.raw(`${lineOf(event)}\n`));
            seen += 1;
            if (seen >= most) break;
          }
        } finally {
          forget();
          stop.abort();
        }
      }),
    );
};

export const register: Register = (group, kit) => {
  listCommand(group, kit);
  tailCommand(group, kit);
};

const COLUMNS = [
  'timestamp',
  'type',
  'data.status',
  'data.transactionId',
  'data.quoteId',
  'data.clientReference',
  'eventId',
];

function lineOf(event: unknown): string {
  const [at, type, ...more] = COLUMNS.map((path) => safeText(textOf(valueAt(event, path))));
  return `${at}  ${(type ?? '').padEnd(26)}${more.filter((text) => text !== '').join('  ')}`.trimEnd();
}
