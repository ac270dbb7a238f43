-- Credits whose dates cannot be right wait for a person.
alter table reconciliation_exceptions
  drop constraint reconciliation_exceptions_type_check,
  add constraint reconciliation_exceptions_type_check check (type in (
    'unmatched', 'ambiguous', 'short', 'excess', 'wrong_currency', 'third_party', 'late', 'duplicate', 'returned', 'payout_mismatch',
    'not_applied', 'implausible_date'
  ));
alter table deposits
  drop constraint deposits_exception_type_check,
  add constraint deposits_exception_type_check check (exception_type in (
    'unmatched', 'ambiguous', 'short', 'excess', 'wrong_currency', 'third_party', 'late', 'duplicate', 'returned', 'payout_mismatch',
    'implausible_date'
  ));
