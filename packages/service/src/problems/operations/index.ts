import type { OperationCodes } from '@firmquote/api/problem-groups';

/**
 * The codes of an operation's own, by method and path, beside those that follow from what it is (`http/operation-codes.ts`).
 * Data only: what it names is held against the operations that there are by a test.
 */
export const OPERATION_PROBLEMS: OperationCodes = {};
