import { channel, tracingChannel } from 'node:diagnostics_channel';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

/**
 * What the service tells whoever traces it, over Node's own channels: it knows no tracer, and while nobody listens, nothing is
 * made and nothing costs.
 */

/** A request has come; everything that is done for it is done in the context in which this is told. */
export const REQUEST_CHANNEL = channel('firmquote:request');

export interface BegunRequest {
  readonly request: {
    readonly id: string;
    readonly method: string;
    readonly headers: IncomingHttpHeaders;
    readonly routeOptions: { readonly url?: string | undefined };
    /** Known when the answer goes out. */
    readonly caller: { readonly clientId: string; readonly customerId?: string | undefined } | undefined;
    readonly problemCode: string | undefined;
  };
  readonly response: ServerResponse;
}

/** What is told at its begin, and again at its end. */
export interface Traced {
  /** Added by the channel when it failed. */
  readonly error?: unknown;
}

/** Something waits for the next statement of a batch, and for those after it that repeat a part of it, until it has its answer. */
export const WAITING_CHANNEL = tracingChannel<unknown, WaitingItem>('firmquote:waiting');

export interface WaitingItem extends Traced {
  /** Of the batches. */
  readonly name: string;
  /** The same object that the batch has. */
  readonly item: unknown;
}

/** One statement for many requests. */
export const BATCH_CHANNEL = tracingChannel<unknown, Batch>('firmquote:batch');

export interface Batch extends Traced {
  readonly name: string;
  readonly items: readonly unknown[];
}

/** A statement on its way to the database and back. */
export const STATEMENT_CHANNEL = tracingChannel<unknown, Statement>('firmquote:statement');

export interface Statement extends Traced {
  /** Without values, which are parameters. */
  readonly text: string;
  /** Of a prepared statement. */
  readonly name: string | undefined;
}

/** A run of what the service does by itself. */
export const SWEEP_CHANNEL = tracingChannel<unknown, SweepRun>('firmquote:sweep');

export interface SweepRun extends Traced {
  readonly name: string;
}
