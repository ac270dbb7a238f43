import type { CsvMapping, StatementFilePreview } from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import { formatAmount } from '../money/amount.ts';
import { counted } from '../parts/words.ts';

/** How long a page waits until a file is read. */
export const READ_LIMIT_MS = 120_000;

/** What a file is read by: a mapping that is kept, or one as it stands in a form; by default the one whose file names it fits. */
export interface ReadBy {
  readonly mapping?: string | undefined;
  readonly draft?: CsvMapping | undefined;
}

export async function previewOf(file: File, { mapping, draft }: ReadBy): Promise<StatementFilePreview> {
  return operator.previewStatementFile(
    file,
    {
      name: file.name,
      ...(mapping === undefined ? {} : { mapping }),
      ...(draft === undefined ? {} : { draftMapping: JSON.stringify(draft) }),
    },
    { timeoutMs: READ_LIMIT_MS, deadlineMs: READ_LIMIT_MS },
  );
}

/** What was read, in a sentence: "1 statement, 2 entries. USD: 1,234.50 in, 3.00 out." */
export function foundIn({ statements, entries, paymentStatuses, sums }: StatementFilePreview): string {
  const found = [
    counted(statements, 'statement'),
    counted(entries, 'entry', 'entries'),
    ...(paymentStatuses === 0 ? [] : [counted(paymentStatuses, 'payment status', 'payment statuses')]),
  ];
  const booked = sums.map(
    ({ currency, credits, debits }) =>
      ` ${currency}: ${formatAmount(credits.amount)} in, ${formatAmount(debits.amount)} out.`,
  );
  return `${found.join(', ')}.${booked.join('')}`;
}
