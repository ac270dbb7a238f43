import {
  CHANGE,
  DEPOSIT,
  DEPOSIT_RETURN,
  EXCEPTION,
  each,
  NEW_MONEY,
  type OperationCodes,
} from '@firmquote/api/problem-groups';

const DEPOSITS = '/v1/operator/deposits';
const EXCEPTIONS = '/v1/operator/exceptions/:exceptionId';

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
};

export const OF_THE_SANDBOX: OperationCodes = {
  'POST /v1/sandbox/deposits': NEW_MONEY,
};
