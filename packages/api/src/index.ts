export { openApiDocument } from './openapi.ts';
export { type Operation, operation } from './operation.ts';
export { OPERATIONS } from './operations/index.ts';
export { problemCodesOf } from './problem-codes.ts';
