import { findCurrency } from '@firmquote/fx';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { CustomerDirectory } from '../customers/profile.ts';
import { oneLargeAtATime } from '../http/connections.ts';
import type { RouteAccess } from '../http/context.ts';
import { customerOf } from '../http/context.ts';
import { QueryReader } from '../http/query.ts';
import { acceptAny } from '../http/schema.ts';
import { parseTypeId } from '../platform/ids.ts';
import { transactionNotFound } from '../transactions/list-transactions.ts';
import type { TransactionStore } from '../transactions/store.ts';
import type { ReportsRoom } from './answer-report.ts';
import { confirmationOf, confirmationPdf } from './confirmation.ts';
import { csvLine } from './csv.ts';
import { readCustomerStatement, statementCsv } from './customer-statement.ts';
import { readInstants } from './parameters.ts';
import { REPORT_FORMATS, type Row } from './report.ts';
import { sendFile } from './routes.ts';
import * as schema from './schema.ts';

const access: RouteAccess = { audience: 'customer', scope: 'transactions:read' };

const CONFIRMATION_FORMATS = [...REPORT_FORMATS, 'pdf'] as const;

export interface CustomerReportOptions {
  readonly room: ReportsRoom;
  readonly customers: CustomerDirectory;
  readonly transactions: TransactionStore;
}

/** The statement of a period and the confirmation of a trade. */
export function customerReportRoutes(app: FastifyInstance, options: CustomerReportOptions): void {
  statementRoute(app, options);
  confirmationRoute(app, options);
}

function statementRoute(app: FastifyInstance, { room }: CustomerReportOptions): void {
  app.get(
    '/v1/customer/statements',
    {
      onRequest: oneLargeAtATime,
      config: { access, rate: 'reads', answers: 'anything' },
      schema: {
        tags: ['Statements'],
        summary: 'What was traded, paid in and paid out in a period, with balances, by currency',
        querystring: schema.StatementQuery,
        response: { 200: schema.StatementAnswer },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const { customerId } = customerOf(request);
      const now = room.clock.now();
      const query = new QueryReader(request.query);
      const format = query.choice('format', REPORT_FORMATS) ?? 'json';
      const currency = query.text('currency', 3);
      if (currency !== undefined && findCurrency(currency) === undefined) {
        query.refuse('currency', 'wrong_format', 'must be a currency code, such as EUR');
      }
      const range = readInstants(query, now);
      query.finish();
      const statement = await room.snapshots.read((database) =>
        readCustomerStatement(database, customerId, range, currency, now),
      );
      const text = format === 'csv' ? statementCsv(statement) : JSON.stringify(statement);
      return sendFile(reply, format, 'statement', text);
    },
  );
}

function confirmationRoute(
  app: FastifyInstance,
  { room, customers, transactions }: CustomerReportOptions,
): void {
  app.get<{ Params: { transactionId: string } }>(
    '/v1/customer/transactions/:transactionId/confirmation',
    {
      config: { access, rate: 'reads', answers: 'anything' },
      schema: {
        tags: ['Transactions'],
        summary: 'Confirmation of a trade: the terms as they were agreed',
        querystring: schema.ConfirmationQuery,
        response: { 200: schema.ConfirmationAnswer },
      },
      validatorCompiler: acceptAny,
    },
    async (request, reply) => {
      const { customerId } = customerOf(request);
      const query = new QueryReader(request.query);
      const format = query.choice('format', CONFIRMATION_FORMATS) ?? 'json';
      query.finish();
      const id = parseTypeId('txn', request.params.transactionId);
      const row = id === undefined ? undefined : await transactions.find(customerId, id);
      if (row === undefined) throw transactionNotFound();
      const { name } = await customers.profile(customerId);
      const confirmation = confirmationOf(row, name, room.clock.now());
      return sendConfirmation(reply, format, confirmation, `confirmation-${row.reference}`);
    },
  );
}

async function sendConfirmation(
  reply: FastifyReply,
  format: (typeof CONFIRMATION_FORMATS)[number],
  confirmation: Row,
  name: string,
): Promise<FastifyReply> {
  switch (format) {
    case 'json':
      return sendFile(reply, format, name, JSON.stringify(confirmation));
    case 'csv':
      return sendFile(
        reply,
        format,
        name,
        csvLine(Object.keys(confirmation)) + csvLine(Object.values(confirmation)),
      );
    case 'pdf':
      return reply
        .header('Content-Type', 'application/pdf')
        .header('Content-Disposition', `attachment; filename="${name}.pdf"`)
        .header('Cache-Control', 'no-store')
        .send(await confirmationPdf(confirmation));
  }
}
