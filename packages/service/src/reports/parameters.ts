import { findCurrency } from '@firmquote/fx';
import type { QueryReader } from '../http/query.ts';
import { parseTypeId } from '../platform/ids.ts';
import type { Report, ReportParameters } from './report.ts';

/**
 * Reads the parameters that a report takes; others are left to be refused as unknown. `to` is now when it is left out.
 * @throws Problem validation_failed
 */
export function readParameters(query: QueryReader, report: Report, now: number): ReportParameters {
  const parameters = { ...readRange(query, report, now), ...readFilters(query, report) };
  query.finish();
  return parameters;
}

function readRange(query: QueryReader, { range }: Report, now: number): ReportParameters {
  if (range === 'none') return {};
  if (range === 'value-dates') {
    const [fromDate, toDate] = [query.date('from'), query.date('to')];
    if (fromDate !== undefined && toDate !== undefined && fromDate > toDate) {
      query.refuse('to', 'out_of_range', 'must not be before from');
    }
    return { fromDate, toDate };
  }
  return readInstants(query, now);
}

/** `from`, required, and `to`. */
export function readInstants(
  query: QueryReader,
  now: number,
): { readonly from: number; readonly to: number } {
  const given = query.instant('from');
  const to = query.instant('to') ?? now;
  if (given === undefined) query.refuse('from', 'required', 'must be an RFC 3339 instant');
  else if (given >= to) query.refuse('to', 'out_of_range', 'must be later than from');
  return { from: given ?? 0, to };
}

function readFilters(query: QueryReader, { filters }: Report): ReportParameters {
  const parameters: { customerId?: string | undefined; currency?: string | undefined } = {};
  if (filters.includes('customerId')) {
    const text = query.text('customerId', 64);
    parameters.customerId = text === undefined ? undefined : parseTypeId('cus', text);
    if (text !== undefined && parameters.customerId === undefined) {
      query.refuse('customerId', 'wrong_format', 'must be a customer id');
    }
  }
  if (filters.includes('currency')) {
    parameters.currency = query.text('currency', 3);
    if (parameters.currency !== undefined && findCurrency(parameters.currency) === undefined) {
      query.refuse('currency', 'wrong_format', 'must be a currency code, such as EUR');
    }
  }
  return parameters;
}
