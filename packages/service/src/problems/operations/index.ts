import type { OperationCodes } from '@firmquote/api/problem-groups';
import { OF_CUSTOMERS, OF_THE_MARKET } from './customers.ts';
import { OF_DEPOSITS, OF_THE_SANDBOX } from './desk.ts';

/**
 * The codes of an operation's own, by method and path, beside those that follow from what it is (`http/operation-codes.ts`).
 * Data only: what it names is held against the operations that there are by a test.
 */
export const OPERATION_PROBLEMS: OperationCodes = {
  ...OF_CUSTOMERS,
  ...OF_THE_MARKET,
  ...OF_DEPOSITS,
  ...OF_THE_SANDBOX,
};
