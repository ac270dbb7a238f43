import { type Answer, Connection, post } from './http-client.ts';

/** What one load process is told to do, as JSON in its first argument. */
export interface LoadOrder {
  readonly port: number;
  readonly path: 'indicative' | 'quote' | 'trade';
  readonly token: string;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Send an Idempotency-Key with every POST that changes something. */
  readonly keys: boolean;
}

/** What it answers, as JSON on standard output. */
export interface LoadResult {
  /** Completed operations in the measured time; a trade (quote and execution) is one. */
  readonly operations: number;
  /** Completed operations in all, warm-up included: what the database must hold. */
  readonly total: number;
  readonly errors: number;
  readonly firstError: string | undefined;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

const BODY = JSON.stringify({
  sellCurrency: 'USD',
  buyCurrency: 'EUR',
  fixedSide: 'sell',
  amount: '1000.00',
});
const QUOTE_ID = /"quoteId":"(quote_[0-9a-z]{26})"/;

type Operation = (connection: Connection) => Promise<string | undefined>;

/** Each answers undefined on success and what was wrong otherwise. */
function operationOf(order: LoadOrder): Operation {
  const auth = { Authorization: `Bearer ${order.token}` };
  let number = 0;
  const keyed = () => (order.keys ? { ...auth, 'Idempotency-Key': `${process.pid}-${number++}` } : auth);
  const plainQuote = post('/v1/customer/quotes', BODY, auth);
  const quoteRequest = () => (order.keys ? post('/v1/customer/quotes', BODY, keyed()) : plainQuote);
  const indicative = post('/v1/customer/quotes/indicative', BODY, auth);
  switch (order.path) {
    case 'indicative':
      return async (connection) => wrong(await connection.send(indicative), 200, '"buyAmount":"');
    case 'quote':
      return async (connection) => wrong(await connection.send(quoteRequest()), 201, '"status":"open"');
    case 'trade':
      return async (connection) => {
        const quoted = await connection.send(quoteRequest());
        const refused = wrong(quoted, 201, '"status":"open"');
        if (refused !== undefined) return refused;
        const id = QUOTE_ID.exec(quoted.body)?.[1];
        if (id === undefined) return 'a quote without id';
        return wrong(
          await connection.send(post(`/v1/customer/quotes/${id}/execute`, '{}', keyed())),
          201,
          '"transactionId":"',
        );
      };
  }
}

function wrong(answer: Answer, status: number, part: string): string | undefined {
  if (answer.status === status && answer.body.includes(part)) return undefined;
  return `${answer.status}: ${answer.body.slice(0, 300)}`;
}

/** Closed loop: every connection sends its next request as soon as it has the answer to the last. */
async function run(order: LoadOrder): Promise<LoadResult> {
  const operation = operationOf(order);
  const connections = await Promise.all(
    Array.from({ length: order.connections }, () => Connection.open(order.port)),
  );
  const measureFrom = performance.now() + order.warmUpMs;
  const until = measureFrom + order.measureMs;
  const latencies: number[] = [];
  let total = 0;
  let errors = 0;
  let firstError: string | undefined;
  await Promise.all(
    connections.map(async (connection) => {
      for (let start = performance.now(); start < until; ) {
        const failure = await operation(connection);
        const end = performance.now();
        if (failure === undefined) total++;
        else {
          errors++;
          firstError ??= failure;
        }
        if (start >= measureFrom && end <= until && failure === undefined) latencies.push(end - start);
        start = end;
      }
    }),
  );
  for (const connection of connections) connection.close();
  latencies.sort((a, b) => a - b);
  const quantile = (q: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] ?? 0;
  return {
    operations: latencies.length,
    total,
    errors,
    firstError,
    perSecond: latencies.length / (order.measureMs / 1000),
    p50Ms: quantile(0.5),
    p95Ms: quantile(0.95),
    p99Ms: quantile(0.99),
  };
}

if (process.argv[1] === import.meta.filename) {
  const order = JSON.parse(process.argv[2] ?? '{}') as LoadOrder;
  process.stdout.write(JSON.stringify(await run(order)));
}
