import { parseSide, type Side } from '../amount.ts';
import { shellQuoted } from '../curl.ts';
import { parseDuration } from '../duration.ts';
import { usage } from '../errors.ts';
import type { Register } from '../kit.ts';
import { NOTHING, type Values } from '../operations/flags.ts';
import { operationOf } from '../operations/table.ts';
import { decide } from '../trading/dialogue.ts';

const HELP = `
Write amounts as 1000, 1_000.50, 250k or 1.5m. Exactly one side has an amount, and that side is fixed.

On a terminal, the quote is shown with the time left, and you are asked. Without a terminal, it is printed, and
executed only with --execute (or --yes).

  firmquote quote --sell 1m EUR --buy USD
  firmquote quote --sell EUR --buy 250k USD --valid 60s --ref INV-2291
  firmquote quote --sell 100k EUR --buy USD --execute -o json
  firmquote quote --sell 1m EUR --buy USD --indicative`;

export const register: Register = (group, kit) => {
  group
    .requiredOption(
      '--sell <amount and currency...>',
      'What you sell: 1m EUR, or EUR if --buy has the amount',
    )
    .requiredOption('--buy <amount and currency...>', 'What you buy: USD, or 250k USD')
    .option(
      '--valid <duration>',
      'How long the quote is firm: 10s, 30s, 60s; the service decides what is possible',
    )
    .option('--tenor <tenor>', 'today, tom or spot; default spot')
    .option('--value-date <date>', 'A value date instead: 2026-03-06')
    .option('--ref <reference>', 'Your reference')
    .option('--metadata <name=value...>', 'Metadata of your own; it is returned as it is')
    .option('--execute', 'Execute it without asking')
    .option('--indicative', 'Only an estimate: nothing is reserved, and it cannot be executed')
    .addHelpText('after', HELP)
    .action(
      kit.run(async (cli, _args, options) => {
        const sell = parseSide(options.sell as string[], '--sell');
        const buy = parseSide(options.buy as string[], '--buy');
        const body = requestOf(sell, buy, options);
        const service = await cli.service('customer');
        if (options.indicative === true) {
          const { clientReference: _, validitySeconds: __, metadata: ___, ...estimate } = body;
          const answer = await service.send(operationOf('getIndicativePrice'), {
            ...NOTHING,
            body: estimate,
          });
          return cli.print.one(answer.data, { columns: INDICATIVE_VIEW });
        }
        await service.dryRun(operationOf('createQuote'), { ...NOTHING, body });
        const quote = await service.client.quotes.create(body as never, service.callOptions());
        await decide(cli, service, quote, {
          executes: options.execute === true || cli.options.yes === true,
          reference: body.clientReference,
          again: `firmquote quote --sell ${wordsOf(sell)} --buy ${wordsOf(buy)}`,
        });
      }),
    );
};

const INDICATIVE_VIEW = [
  'type',
  'sell=sellAmount sellCurrency',
  'buy=buyAmount buyCurrency',
  'rate=rate.pair rate.value',
  'cost against mid (bps)=pricing.costVsMidBps',
  'value date=settlement.valueDate settlement.tenor',
  'tradable',
  'market.state',
];

function wordsOf({ amount, currency }: Side): string {
  return amount === undefined ? currency : `${amount} ${currency}`;
}

interface Request {
  readonly sellCurrency: string;
  readonly buyCurrency: string;
  readonly fixedSide: 'sell' | 'buy';
  readonly amount: string;
  readonly tenor?: string;
  readonly valueDate?: string;
  readonly validitySeconds?: number;
  readonly clientReference?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

function requestOf(sell: Side, buy: Side, options: Values): Request {
  const amount = sell.amount ?? buy.amount;
  if (amount === undefined || (sell.amount !== undefined && buy.amount !== undefined)) {
    throw usage(
      'Exactly one side has an amount: the other one follows from the rate.',
      'For example: --sell 1m EUR --buy USD.',
    );
  }
  const text = (name: string) => (typeof options[name] === 'string' ? (options[name] as string) : undefined);
  const valid = text('valid');
  const validMs = valid === undefined ? undefined : parseDuration(valid, '--valid');
  if (validMs !== undefined && (validMs === 0 || validMs % 1_000 !== 0))
    throw usage('--valid must be in whole seconds: 30s, 5m.');
  const [tenor, valueDate, clientReference] = [text('tenor'), text('valueDate'), text('ref')];
  const metadata = (options.metadata as string[] | undefined)?.map(pairOf);
  return {
    sellCurrency: sell.currency,
    buyCurrency: buy.currency,
    fixedSide: sell.amount === undefined ? 'buy' : 'sell',
    amount,
    ...(tenor === undefined ? {} : { tenor }),
    ...(valueDate === undefined ? {} : { valueDate }),
    ...(validMs === undefined ? {} : { validitySeconds: validMs / 1_000 }),
    ...(clientReference === undefined ? {} : { clientReference }),
    ...(metadata === undefined ? {} : { metadata: Object.fromEntries(metadata) }),
  };
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw usage(`--metadata takes name=value, not ${shellQuoted(text)}.`);
  return [text.slice(0, at), text.slice(at + 1)];
}
