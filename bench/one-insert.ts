import { Quote, QuoteRequest } from '@firmquote/api/operations/quotes';
import pg from 'pg';
import { newUuid } from '../packages/service/src/platform/ids.ts';
import { QUOTE } from './answers.ts';
import { bareServer, listen } from './bare-server.ts';

/**
 * The design that one would write first: the floor's route, and an INSERT for each quote with its terms as JSON and its key,
 * committed by itself. No token, no limits, no price. `DATABASE_URL` names the database.
 */
const CONNECTIONS = 16;
const INSERT = `insert into one_insert_quotes (id, key, sell_currency, buy_currency, sell_minor, buy_minor, terms, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, now(), now() + interval '30 seconds')`;

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: CONNECTIONS });
pool.on('error', () => undefined);
await pool.query(`create table if not exists one_insert_quotes (
  id uuid primary key, key text unique, sell_currency text not null, buy_currency text not null, sell_minor numeric(38,0) not null,
  buy_minor numeric(38,0) not null, terms json not null, created_at timestamptz not null, expires_at timestamptz not null)`);
const app = bareServer();
app.post<{ Body: QuoteRequest }>(
  '/v1/customer/quotes',
  { schema: { body: QuoteRequest, response: { 201: Quote } } },
  async ({ headers }, reply) => {
    const { rate, pricing, settlement } = QUOTE;
    const id = newUuid(Date.now());
    await pool.query({
      name: 'insert',
      text: INSERT,
      values: [
        ...[id, headers['idempotency-key'], QUOTE.sellCurrency, QUOTE.buyCurrency, '100000', '91987'],
        JSON.stringify({ rate, pricing, settlement }),
      ],
    });
    return reply.code(201).send(QUOTE);
  },
);
await listen(app, 'the design of one INSERT a request');
