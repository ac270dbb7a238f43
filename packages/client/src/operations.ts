import { type Answer, Call, List, type WirePage } from './call.ts';
import type { Connection } from './connection.ts';
import type { AnyOptions, CallOptions } from './options.ts';

/** What a client must know of an operation to send it. */
export interface OperationSpec {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Without a token. */
  readonly isPublic?: boolean;
  /** `Idempotency-Key` is understood. */
  readonly isKeyed?: boolean;
  /** It may be sent again without a key, though it is not a GET. */
  readonly isRepeatable?: boolean;
  /** `Prefer: wait` is understood. */
  readonly waits?: boolean;
  /** It answers with a file, whatever its type. */
  readonly isFile?: boolean;
  /** It answers with a file where another format than JSON is asked for. */
  readonly mayBeFile?: boolean;
  /** A status besides those of success with which it answers, and does not refuse: 503 of what is not ready. */
  readonly also?: number;
  /** Media type of the body where it is not JSON. */
  readonly sends?: string;
}

/** Path, query and body of a request. */
export interface Input {
  /** For the names in braces, in order. */
  readonly path?: readonly string[];
  readonly query?: object | undefined;
  /** A function is called before each attempt. */
  readonly body?: unknown;
}

/** A group of methods over one connection. */
export abstract class Operations {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The connection of a client's parts; not for users. */
  static connectionOf(operations: Operations): Connection {
    return operations.#connection;
  }

  /** Everything that is asked for, once or page by page. */
  protected send<T>(spec: OperationSpec, input: Input, options?: CallOptions): Promise<Answer<T>> {
    return this.#connection.send<T>(spec, input, options as AnyOptions);
  }

  protected invoke<T>(spec: OperationSpec, input: Input, options?: CallOptions): Call<T> {
    return new Call(this.send<T>(spec, input, options));
  }

  protected pages<T, Extra = unknown>(
    spec: OperationSpec,
    input: Input,
    options?: CallOptions,
  ): List<T, Extra> {
    return new List<T, Extra>((cursor) => {
      const query = cursor === undefined ? input.query : { ...input.query, cursor };
      return this.send<WirePage<T>>(spec, { ...input, query }, options);
    });
  }
}
