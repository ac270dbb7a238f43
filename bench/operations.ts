import { type Answer, type Connection, get, post } from './http-client.ts';

/**
 * In the order in which they are measured: quotes last, since those that nobody executes expire half a minute later, each with
 * its event, and that work belongs to their own path.
 */
export const LOAD_PATHS = [
  'indicative',
  'trade',
  'read-transaction',
  'read-quote',
  'list-transactions',
  'quote',
] as const;
export type LoadPath = (typeof LOAD_PATHS)[number];

/** Who asks, each in turn. */
export interface Callers {
  readonly tokens: readonly string[];
  /** What is read: whose it is, as a place among the tokens, and its id. */
  readonly quotes: readonly Readable[];
  readonly transactions: readonly Readable[];
}
export type Readable = readonly [caller: number, id: string];

interface Outcome {
  /** What was wrong; undefined when the answer was right. */
  readonly failure: string | undefined;
  /** Of a trade: how long its execution took. */
  readonly executionMs?: number;
}
export type Operation = (connection: Connection) => Promise<Outcome>;

const BODY = JSON.stringify({
  sellCurrency: 'USD',
  buyCurrency: 'EUR',
  fixedSide: 'sell',
  amount: '1000.00',
});
const QUOTE_ID = /"quoteId":"(quote_[0-9a-z]{26})"/;

/** An operation that says what was wrong with an answer, for callers in turns. @param number tells the keys of runs apart */
export function operationOf(path: LoadPath, callers: Callers, number: number): Operation {
  const auths = callers.tokens.map((token) => ({ Authorization: `Bearer ${token}` }));
  let turn = 0;
  const next = <T>(all: readonly T[]): T => all[turn++ % all.length] as T;
  let key = 0;
  const keyed = (auth: Record<string, string>) => ({ ...auth, 'Idempotency-Key': `${number}-${key++}` });
  switch (path) {
    case 'indicative': {
      const requests = auths.map((auth) => post('/v1/customer/quotes/indicative', BODY, auth));
      return async (connection) => reported(await connection.send(next(requests)), 200, '"buyAmount":"');
    }
    case 'quote':
      return async (connection) =>
        reported(
          await connection.send(post('/v1/customer/quotes', BODY, keyed(next(auths)))),
          201,
          '"status":"open"',
        );
    case 'trade':
      return (connection) => trade(connection, next(auths), keyed);
    case 'read-quote':
      return reading('/v1/customer/quotes/', callers.quotes);
    case 'read-transaction':
      return reading('/v1/customer/transactions/', callers.transactions);
    case 'list-transactions': {
      const requests = auths.map((auth) => get('/v1/customer/transactions?limit=50', auth));
      return async (connection) => reported(await connection.send(next(requests)), 200, '"items":[');
    }
  }

  function reading(folder: string, all: readonly Readable[]): Operation {
    if (all.length === 0) throw new Error(`there is nothing to read in ${folder}`);
    return async (connection) => {
      const [caller, id] = next(all);
      return reported(await connection.send(get(folder + id, auths[caller] ?? {})), 200, `Id":"${id}"`);
    };
  }
}

async function trade(
  connection: Connection,
  auth: Record<string, string>,
  keyed: (auth: Record<string, string>) => Record<string, string>,
): Promise<Outcome> {
  const quoted = await connection.send(post('/v1/customer/quotes', BODY, keyed(auth)));
  const { failure } = reported(quoted, 201, '"status":"open"');
  if (failure !== undefined) return { failure };
  const id = QUOTE_ID.exec(quoted.body)?.[1];
  if (id === undefined) return { failure: 'a quote without id' };
  const from = performance.now();
  const executed = await connection.send(post(`/v1/customer/quotes/${id}/execute`, '{}', keyed(auth)));
  return { ...reported(executed, 201, '"transactionId":"'), executionMs: performance.now() - from };
}

function reported(answer: Answer, status: number, part: string): Outcome {
  if (answer.status === status && answer.body.includes(part)) return { failure: undefined };
  return { failure: `${answer.status}: ${answer.body.slice(0, 300)}` };
}
