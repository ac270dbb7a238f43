import type { FastifyRequest } from 'fastify';
import {
  type Authenticator,
  type CustomerAccess,
  type CustomerAccessDirectory,
  readmission,
} from '../http/access.ts';
import type { Caller } from '../http/context.ts';
import { Problem } from '../problems/problem.ts';

export interface AccessRoom {
  readonly authenticator: Authenticator;
  readonly customers: CustomerAccessDirectory;
}

/**
 * Looks again, for as long as the stream is open, at what the request was let in for. Answers why the stream must end:
 * the code of the problem that the request would get now. When that cannot be found out because the database is away,
 * what is known serves for five seconds, as for any request, and the stream ends with `maintenance`.
 */
export function accessCheck(
  { authenticator, customers }: AccessRoom,
  request: FastifyRequest,
): () => string | undefined | Promise<string | undefined> {
  const readmit = readmission({ authenticator }, request);
  const ofCaller = ({ customerId }: Caller) => {
    if (customerId === undefined) return 'token_invalid';
    const access = customers.access(customerId);
    return access instanceof Promise ? access.then(suspension, codeOf) : suspension(access);
  };
  return () => {
    try {
      const caller = readmit();
      return caller instanceof Promise ? caller.then(ofCaller).catch(codeOf) : ofCaller(caller);
    } catch (error) {
      return codeOf(error);
    }
  };
}

function suspension(access: CustomerAccess): string | undefined {
  return access.status === 'suspended' ? 'customer_suspended' : undefined;
}

/** Anything but a problem is a database that does not answer. */
export function codeOf(error: unknown): string {
  return error instanceof Problem ? error.code : 'maintenance';
}
