/**
 * How long an execution may wait in this process for its statement, other statements and held rows included. What has
 * waited for longer is refused as overloaded, and nothing was done.
 */
export const EXECUTION_WAIT_LIMIT_MS = 5_000; // limit: Wait of an execution for its statement
/** How long the answer to that statement is waited for. After that the outcome is unknown, and the caller is told so. */
export const EXECUTION_ANSWER_LIMIT_MS = 10_000; // limit: Wait of an execution for the answer of its statement
/** What a request needs before its execution is submitted: its head is read, its token verified, its body read. */
export const ARRIVAL_LIMIT_MS = 2_000;
/** Clocks of two instances differ by less, or one of them does nothing (`database/clock-watch.ts`). */
const CLOCKS_APART_MS = 500;

/**
 * How long after its end an open quote is written down as expired. Readers see it as expired at once, and nothing that
 * arrives later is executed. But what arrived in time may still be on its way inside of an instance, for as long as the limits above
 * permit: to that the quote must still be open.
 */
export const EXPIRY_GRACE_MS =
  ARRIVAL_LIMIT_MS + EXECUTION_WAIT_LIMIT_MS + EXECUTION_ANSWER_LIMIT_MS + CLOCKS_APART_MS; // limit: From the end of an open quote until it is written down as expired
