import { Connection } from './connection.ts';
import { SandboxOperations } from './generated/sandbox-operations.ts';
import { Operations } from './operations.ts';
import type { ClientOptions } from './options.ts';

export type * from './generated/sandbox-call-types.ts';
export { SANDBOX_OPERATIONS } from './generated/sandbox-specs.ts';
export type * from './generated/sandbox-types.ts';

/**
 * The controls of the simulated world: its clock, market and bank. They exist in the sandbox only, and need an operator's client.
 * @example new FirmquoteSandbox(operator) shares the token of a client for operators
 */
export class FirmquoteSandbox extends SandboxOperations {
  constructor(client: ClientOptions | Operations = {}) {
    super(client instanceof Operations ? Operations.connectionOf(client) : new Connection(client));
  }
}
