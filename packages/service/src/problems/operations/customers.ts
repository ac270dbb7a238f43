import { each, type OperationCodes, REPLACE } from '@firmquote/api/problem-groups';

const CUSTOMER = '/v1/operator/customers/:customerId';

export const OF_CUSTOMERS: OperationCodes = {
  ...each([`GET ${CUSTOMER}/virtual-accounts`, `GET ${CUSTOMER}/remitters`], ['customer_not_found']),
  [`POST ${CUSTOMER}/virtual-accounts`]: ['customer_not_found', 'currency_not_supported', 'already_exists'],
  [`DELETE ${CUSTOMER}/virtual-accounts/:virtualAccountId`]: [
    'customer_not_found',
    'virtual_account_not_found',
  ],
  [`DELETE ${CUSTOMER}/remitters/:remitterId`]: ['customer_not_found', 'remitter_not_found'],
};

export const OF_THE_MARKET: OperationCodes = {
  ...each(
    ['matching-rules'].map((name) => `PUT /v1/operator/${name}`),
    REPLACE,
  ),
};
