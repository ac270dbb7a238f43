import type { ServerClock } from './clock.ts';
import { Connection } from './connection.ts';
import { ServiceOperations } from './generated/operations.ts';
import { OperatorOperations } from './generated/operator-operations.ts';
import type { ClientOptions } from './options.ts';

export { OPERATOR_OPERATIONS } from './generated/operator-operations.ts';
export type * from './generated/operator-types.ts';

/**
 * What operators can do: one method for each operation, called as the operation is. Needs the credentials of an operator's client; in
 * production also its own `audience`.
 */
export class FirmquoteOperator extends OperatorOperations {
  /** What needs no token: health, error codes, keys. */
  readonly service: ServiceOperations;
  /** The service's clock. */
  readonly clock: ServerClock;

  constructor(options: ClientOptions = {}) {
    const connection = new Connection(options);
    super(connection);
    this.service = new ServiceOperations(connection);
    this.clock = connection.clock;
  }
}
