import {
  BOOKED_ENTRY,
  CHANGE,
  DEPOSIT,
  DEPOSIT_RETURN,
  ENTRY,
  EXCEPTION,
  each,
  FILE_ORDER,
  NEW_MONEY,
  type OperationCodes,
} from '@firmquote/api/problem-groups';

const DEPOSITS = '/v1/operator/deposits';
const EXCEPTIONS = '/v1/operator/exceptions/:exceptionId';
const ENTRIES = '/v1/operator/statement-entries/:entryId';
const STATEMENTS = '/v1/operator/statements';
const MAPPING = '/v1/operator/statement-mappings/:name';

export const OF_DEPOSITS: OperationCodes = {
  [`POST ${DEPOSITS}`]: [...NEW_MONEY, 'already_exists'],
  ...each([`GET ${DEPOSITS}/:depositId`, `GET ${DEPOSITS}/:depositId/history`], ['deposit_not_found']),
  [`POST ${DEPOSITS}/:depositId/match`]: [
    ...DEPOSIT,
    'transaction_not_found',
    'customer_not_found',
    'currency_not_supported',
  ],
  ...each(
    ['unmatch', 'return', 'release', 'forgive', 'ignore', 'book'].map(
      (verb) => `POST ${DEPOSITS}/:depositId/${verb}`,
    ),
    DEPOSIT,
  ),
  ...each(
    [`POST ${DEPOSITS}/:depositId/assign`, `POST ${DEPOSITS}/:depositId/note`],
    ['deposit_not_found', ...CHANGE],
  ),
  ...each(
    ['paid', 'cancel'].map((verb) => `POST ${DEPOSITS}/:depositId/returns/:returnId/${verb}`),
    DEPOSIT_RETURN,
  ),
  [`GET ${EXCEPTIONS}`]: ['exception_not_found'],
  ...each(
    ['assign', 'resolve', 'retry'].map((verb) => `POST ${EXCEPTIONS}/${verb}`),
    EXCEPTION,
  ),
  [`POST ${STATEMENTS}`]: ['statement_refused', 'statement_mapping_not_found'],
  ...each(
    ['', '/file', '/statements', '/entries', '/payment-statuses'].map(
      (part) => `GET ${STATEMENTS}/:fileId${part}`,
    ),
    ['statement_file_not_found'],
  ),
  [`DELETE ${STATEMENTS}/:fileId`]: ['statement_file_not_found', 'invalid_state_transition'],
  ...each([`POST ${STATEMENTS}/:fileId/accept`, `POST ${STATEMENTS}/:fileId/withdraw`], FILE_ORDER),
  ...each([`GET ${MAPPING}`, `DELETE ${MAPPING}`], ['statement_mapping_not_found']),
  [`GET ${ENTRIES}`]: ['statement_entry_not_found'],
  ...each([`POST ${ENTRIES}/book`, `POST ${ENTRIES}/match`], BOOKED_ENTRY),
  ...each(
    ['another', 'same', 'never-booked'].map((verb) => `POST ${ENTRIES}/${verb}`),
    ENTRY,
  ),
};

export const OF_THE_SANDBOX: OperationCodes = {
  'POST /v1/sandbox/deposits': NEW_MONEY,
};
