import type { Violation } from './last-lines.ts';

/** As `LAST_LINES`, of statements and their files. */
export const STATEMENT_LINES: Readonly<Record<string, Violation>> = {
  bank_statements_check2: { statement: `update bank_statements t set entries_left = 1` },
  bank_statements_check3: {
    statement: `update bank_statements t set is_own = true, set_aside = 'currency_unknown', entries_left = 1`,
  },
  bank_statements_entries_left_check: {
    statement: `update bank_statements t set is_own = false, set_aside = 'currency_unknown', entries_left = -1`,
  },
  bank_statements_set_aside_check: {
    statement: `update bank_statements t set is_own = false, set_aside = 'other', entries_left = 1`,
  },
  statement_files_check4: {
    statement: `update statement_files t set status = 'refused', refusal_code = 'x', refusal_detail = 'x', accepted_reason = 'x',
      accepted_by = gen_random_uuid(), approved_by = gen_random_uuid(), accepted_at = now()`,
  },
  statement_files_check5: { statement: `update statement_files t set accepted_reason = 'x'` },
  statement_files_check6: {
    statement: `update statement_files t set accepted_reason = 'x', accepted_by = t.id, approved_by = t.id, accepted_at = now()`,
  },
};
