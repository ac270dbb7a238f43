import type { SetAsideReason } from '@firmquote/bank-formats';
import type { Row } from '../database/rows.ts';

/** Rows as the driver gives them. */
export type FileRow = Row<'statement_files'>;

export type StatementRow = Omit<
  Row<'bank_statements'>,
  | 'file_id'
  | 'opening_interim'
  | 'closing_interim'
  | 'withdrawn'
  | 'is_last_page'
  | 'whole_opening_minor'
  | 'whole_opening_date'
  | 'whole_closing_minor'
  | 'whole_closing_date'
> & {
  /** Why nothing of it is booked, and how many entries it has; null where all is. */
  readonly set_aside: SetAsideReason | null;
  /** Of the statement before it on the account; null without one. */
  readonly previous_number: string | null;
  readonly previous_closing_minor: string | null;
  readonly previous_to: string | null;
};

export type DetailRow = Omit<
  Row<'entry_details'>,
  'payment_id' | 'known_reference' | 'known_end_to_end' | 'revise'
> &
  Pick<
    Row<'bank_entries'>,
    | 'account'
    | 'currency'
    | 'direction'
    | 'status'
    | 'booking_date'
    | 'value_date'
    | 'bank_reference'
    | 'transaction_code'
  > &
  Pick<Row<'entry_listings'>, 'position' | 'statement_position' | 'line' | 'is_new'> & {
    readonly entry_amount_minor: string;
    /** JSON text: `{run_id, end_to_end_id}`, or null. */
    readonly payment: string | null;
    /** JSON text: `[{customer_id, transaction_id, purpose}]`. */
    readonly payment_of: string | null;
    /** Open work about it. */
    readonly exception_id: string | null;
  };
