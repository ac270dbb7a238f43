import { readPain001 } from '@firmquote/bank-formats';
import { executeOrders } from '@firmquote/sandbox-bank';
import { type Connection, inTransaction } from '../../database/pool.ts';
import { bookMovements } from './book.ts';
import { type BankRoom, deliverFiles } from './deliver-files.ts';
import { rejectPayments } from './reject-payments.ts';
import { claimRun, deleteRun, postponeRun, runFile, runPayments } from './run-store.ts';
import { paymentSource } from './transaction-movements.ts';

const POSTPONE_MS = 60_000;

/** Executes the payment files that operators have handed over, each in one commit. @returns how many */
export async function executeRuns(room: BankRoom): Promise<number> {
  let done = 0;
  for (;;) {
    const files: string[] = [];
    const run = await inTransaction(room.pool, (connection) =>
      executeNext(connection, room.clock.now(), files),
    ).catch(async (error: unknown) => {
      await postponeRun(room.pool, room.clock.now(), POSTPONE_MS);
      throw error;
    });
    if (run === undefined) return done;
    done += 1;
    await deliverFiles(room, files);
  }
}

async function executeNext(
  connection: Connection,
  now: number,
  files: string[],
): Promise<string | undefined> {
  const runId = await claimRun(connection, now);
  if (runId === undefined) return undefined;
  const content = await runFile(connection, runId);
  if (content === undefined) throw new Error(`settlement run ${runId} has no file`);
  const known = new Map(
    (await runPayments(connection, runId)).map((each) => [
      each.end_to_end_id,
      { source: paymentSource(each.id), isRefused: each.is_refused, isPaid: each.is_paid },
    ]),
  );
  const { movements, rejections } = executeOrders(readPain001(content.toString('utf8')), known);
  const booked = await bookMovements(connection, movements, now);
  if (booked !== undefined) files.push(booked);
  files.push(...(await rejectPayments(connection, rejections, now)));
  await deleteRun(connection, runId);
  return runId;
}
