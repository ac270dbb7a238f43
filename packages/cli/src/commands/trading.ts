import { parseDuration } from '../duration.ts';
import { usage } from '../errors.ts';
import type { Register } from '../kit.ts';
import { printAnswer } from '../operations/call.ts';
import { instantOf, NOTHING } from '../operations/flags.ts';
import { operationOf } from '../operations/table.ts';
import { executeStored } from '../trading/execute.ts';
import { QUOTE_VIEW, TRANSACTION_VIEW } from '../trading/views.ts';

/** How long `wait` waits, ms. */
const WAIT_MS = 300_000;

export const quotes: Register = (group, kit) => {
  kit.operation(group, 'list', {
    id: 'listQuotes',
    columns: [
      'quoteId',
      'status',
      'sell=sellAmount sellCurrency',
      'buy=buyAmount buyCurrency',
      'rate.value',
      'expiresAt',
    ],
    empty: 'There are no quotes. Get one: firmquote quote --sell 1000 EUR --buy USD',
  });
  kit.operation(group, 'get', { id: 'getQuote', columns: QUOTE_VIEW });
  group
    .command('execute')
    .argument('<quoteId>')
    .summary('Execute an open quote')
    .description(
      'Execute an open quote.\n\nIts state is read first. If the answer is lost, the outcome is looked up; there is never a second trade.',
    )
    .option('--ref <reference>', 'Your reference for the transaction')
    .option('--expect-sell <amount>', 'Only if this is what is sold')
    .option('--expect-buy <amount>', 'Only if this is what is bought')
    .option('--if-match <etag>', 'Only if it is still this version')
    .action(kit.run((cli, [id], options) => executeStored(cli, String(id), options)));
  kit.operation(group, 'cancel', { id: 'cancelQuote', columns: QUOTE_VIEW });
  kit.operation(group, 'explain', { id: 'explainQuote', operatorId: 'explainAnyQuote' });
};

const TIMELINE = ['at', 'status', 'code', 'actor', 'amount', 'currency', 'reason'];

/** As the interface names them. */
function transactionStates(): readonly string[] {
  return operationOf('listTransactions').query.find(({ name }) => name === 'status')?.values ?? [];
}

/** A misspelt state is never reached: without this, the command would wait to its end and say that it took too long. */
function statesOf(text: string): readonly string[] {
  const states = text.split(',').map((state) => state.trim());
  const known = transactionStates();
  const unknown = states.find((state) => !known.includes(state));
  if (unknown === undefined) return states;
  throw usage(`“${unknown}” is no state of a transaction.`, `--for takes ${known.join(', ')}.`);
}

const waitCommand: Register = (group, kit) => {
  group
    .command('wait')
    .argument('<transactionId>')
    .summary('Wait until a transaction reaches a state')
    .description(
      'Wait until a transaction reaches a state.\n\nThe service holds the answer until something changes. Exits with 3 when the state can no longer be reached.',
    )
    .option('--for <states>', `What to wait for: one of ${transactionStates().join(', ')}`, 'settled')
    .option('--at-most <duration>', 'How long to wait; default 5m')
    .action(
      kit.run(async (cli, [id], options) => {
        const atMost = options.atMost as string | undefined;
        const states = statesOf(String(options.for));
        const service = await cli.service('customer');
        await service.dryRun(operationOf('getTransaction'), { ...NOTHING, path: [String(id)] });
        const transaction = await service.client.transactions.waitFor(String(id), states as never, {
          timeoutMs: atMost === undefined ? WAIT_MS : parseDuration(atMost, '--at-most'),
          onChange: ({ status }) =>
            void cli.note(`${new Date(service.client.clock.now()).toISOString()}  ${status}`),
        });
        await cli.print.one(transaction, { columns: TRANSACTION_VIEW });
      }),
    );
};

const timelineCommand: Register = (group, kit) => {
  group
    .command('timeline')
    .argument('<transactionId>')
    .description('Show what happened to a transaction, step by step')
    .action(
      kit.run(async (cli, [id]) => {
        const operation = operationOf(
          (await cli.kind()) === 'operator' ? 'getAnyTransaction' : 'getTransaction',
        );
        const service = await cli.service(operation.audience);
        const { data } = await service.send(operation, { ...NOTHING, path: [String(id)] });
        await cli.print.many((data as { readonly timeline?: readonly unknown[] }).timeline ?? [], {
          columns: TIMELINE,
        });
      }),
    );
};

const statementCommand: Register = (group, kit) => {
  group
    .command('statement')
    .description('Get the statement of a period')
    .option('--from <time>', 'Start; a date means midnight UTC')
    .option('--to <time>', 'End (exclusive); default now')
    .option('--currency <code>', 'Only this currency')
    .option('--csv', "The service's own CSV")
    .option('--save <file>', 'Write it to a file')
    .action(
      kit.run(async (cli, _args, { from, to, currency, csv, save }) => {
        if (from === undefined)
          throw usage(
            '--from says where the period begins.',
            'For example --from 2026-03-01 --to 2026-04-01.',
          );
        const period = { from: instantOf(String(from)), to: to === undefined ? to : instantOf(String(to)) };
        const query = { ...period, currency, format: csv === true ? 'csv' : undefined };
        const service = await cli.service('customer');
        const isFile = csv === true || save !== undefined;
        const { data } = await service.send(operationOf('getStatement'), { ...NOTHING, query }, { isFile });
        await printAnswer(cli, data, { save });
      }),
    );
};

export const transactions: Register = (group, kit) => {
  kit.operation(group, 'list', {
    id: 'listTransactions',
    operatorId: 'listAllTransactions',
    columns: [
      'transactionId',
      'status',
      'sell=sellAmount sellCurrency',
      'buy=buyAmount buyCurrency',
      'settlement.valueDate',
      'clientReference',
    ],
    empty: 'There are no transactions.',
  });
  kit.operation(group, 'get', {
    id: 'getTransaction',
    operatorId: 'getAnyTransaction',
    columns: TRANSACTION_VIEW,
  });
  waitCommand(group, kit);
  timelineCommand(group, kit);
  kit.operation(group, 'confirmation', {
    id: 'getConfirmation',
    summary: 'Get the confirmation of a trade: JSON, CSV or PDF',
  });
  kit.operation(group, 'explain', { id: 'explainTransaction' });
  statementCommand(group, kit);
};

export const balances: Register = (group, kit) => {
  kit.operation(group, 'show', { id: 'getBalances' });
  kit.operation(group, 'withdrawals', { id: 'listWithdrawals', operatorId: 'listAllWithdrawals' });
  kit.operation(group, 'withdrawal', { id: 'getWithdrawal', operatorId: 'getAnyWithdrawal' });
  kit.operation(group, 'withdraw', { id: 'createWithdrawal' });
  kit.operation(group, 'cancel-withdrawal', { id: 'cancelWithdrawal', operatorId: 'cancelAnyWithdrawal' });
  kit.operation(group, 'limits', { id: 'getOwnLimits' });
  kit.operation(group, 'of-customer', { id: 'getCustomerBalances' });
  kit.operation(group, 'top-up', { id: 'topUpBalance' });
  kit.operation(group, 'top-ups', {
    id: 'listTopUps',
    columns: ['bankReference', 'currency', 'amount', 'status', 'bookedAt'],
    empty: 'No balance was topped up by hand.',
  });
  kit.operation(group, 'reverse-top-up', { id: 'reverseTopUp' });
};

const WEBHOOK = ['webhookId', 'url', 'status', 'disabledReason', 'types', 'ordering', 'lastSequence'];
const DELIVERY = ['eventId', 'type', 'status', 'attemptCount', 'nextAttemptAt'];

export const webhooks: Register = (group, kit) => {
  const both = (id: string) => ({ id, operatorId: id.replace('Webhook', 'OperatorWebhook') });
  kit.operation(group, 'list', {
    ...both('listWebhooks'),
    columns: WEBHOOK,
    empty: 'There are no webhooks.',
  });
  kit.operation(group, 'get', both('getWebhook'));
  kit.operation(group, 'create', both('createWebhook'));
  kit.operation(group, 'update', both('updateWebhook'));
  kit.operation(group, 'delete', both('deleteWebhook'));
  kit.operation(group, 'rotate-secret', both('rotateWebhookSecret'));
  kit.operation(group, 'test', both('testWebhook'));
  kit.operation(group, 'deliveries', {
    ...both('listWebhookDeliveries'),
    columns: DELIVERY,
    empty: 'There are no deliveries yet.',
  });
  kit.operation(group, 'replay-delivery', both('replayWebhookDelivery'));
  kit.operation(group, 'replay', both('replayWebhook'));
};

export const reference: Register = (group, kit) => {
  kit.operation(group, 'currencies', { id: 'listCurrencies' });
  kit.operation(group, 'pairs', {
    id: 'listPairs',
    columns: ['pair', 'decimals', 'price', 'spotLagDays', 'market.state', 'market.reopensAt'],
  });
  kit.operation(group, 'value-dates', { id: 'explainValueDates' });
  kit.operation(group, 'market', { id: 'getMarketStatus' });
  kit.operation(group, 'execution-policy', { id: 'getExecutionPolicy' });
  kit.operation(group, 'errors', {
    id: 'listErrorCodes',
    summary: 'List all error codes, and what to do about each',
    columns: ['code', 'status', 'retry', 'title'],
  });
};
