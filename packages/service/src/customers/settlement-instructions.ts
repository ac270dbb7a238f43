import { tradeDateAt } from '@firmquote/fx';
import { afterCommit } from '../database/enclosure.ts';
import { inTransaction, type Queryable } from '../database/pool.ts';
import { notWith } from '../http/sentences.ts';
import { newUuid } from '../platform/ids.ts';
import type { Sweep } from '../platform/sweeps.ts';
import { type FieldError, Problem, validationProblem } from '../problems/problem.ts';
import {
  endWaits,
  firstWaitEnds,
  releaseInstruction,
  replaceInstructions,
  retireInstruction,
  type SettlementInstruction,
} from './account-store.ts';
import {
  type AccountInput,
  checkBankCountry,
  checkCurrency,
  checkLei,
  readBankAccount,
} from './bank-account.ts';
import { customerNotFound } from './records.ts';
import type { CustomersRoom } from './room.ts';
import { findCustomer, lockCustomer } from './store.ts';

interface NewSettlementInstruction extends AccountInput {
  readonly currency: string;
  readonly accountHolder: string;
  readonly bankName?: string | null;
  readonly bankCountry?: string | null;
  readonly lei?: string | null;
}

/**
 * Adds an account that the customer's bought currency is paid to. Each currency has one active instruction; the former
 * one is retired in the same commit, and trades that were executed with it keep it.
 * @param inCommit runs in the same transaction; what it throws undoes everything
 * @throws Problem customer_not_found, validation_failed
 */
export async function addSettlementInstruction(
  room: CustomersRoom,
  customerId: string,
  input: NewSettlementInstruction,
  inCommit?: (connection: Queryable, instruction: SettlementInstruction) => Promise<void>,
): Promise<SettlementInstruction> {
  let instruction = instructionOf(customerId, input, room.clock.now());
  await addSettlementInstructions(room, customerId, [instruction], (connection, [added]) => {
    if (added !== undefined) instruction = added;
    return inCommit?.(connection, instruction);
  });
  return instruction;
}

/** The same for several currencies, all or none. */
export async function addSettlementInstructions(
  room: CustomersRoom,
  customerId: string,
  instructions: readonly SettlementInstruction[],
  inCommit?: (connection: Queryable, added: readonly SettlementInstruction[]) => Promise<void> | undefined,
): Promise<void> {
  await inTransaction(room.pool, async (connection) => {
    // Two at once would both retire the old one and then meet at the unique index: they go one after the other.
    if ((await lockCustomer(connection, customerId)) === undefined) throw customerNotFound();
    const waitMs = (await room.accountWaitMs?.(connection)) ?? 0;
    const waiting = instructions.map((each) => ({
      ...each,
      usableFrom: waitMs === 0 ? null : each.createdAt + waitMs,
    }));
    await replaceInstructions(connection, customerId, waiting);
    await inCommit?.(connection, waiting);
  });
  await afterCommit(() => room.directory.customerChanged(customerId));
}

/** @throws Problem validation_failed */
export function instructionOf(
  customerId: string,
  input: NewSettlementInstruction,
  now: number,
): SettlementInstruction {
  const errors: FieldError[] = [];
  checkCurrency(input.currency, tradeDateAt(now), '/currency', errors);
  const account = readBankAccount(input, errors);
  if (account.iban !== null && account.accountNumber !== null) {
    errors.push({
      pointer: '/accountNumber',
      code: 'not_permitted',
      detail: notWith('iban'),
    });
  }
  checkBankCountry(account, input.bankCountry ?? null, errors);
  checkLei(input.lei ?? null, '/lei', errors);
  if (errors.length > 0) throw validationProblem(errors);
  return {
    ...account,
    id: newUuid(now),
    customerId,
    currency: input.currency,
    accountHolder: input.accountHolder,
    bankName: input.bankName ?? null,
    bankCountry: input.bankCountry ?? null,
    lei: input.lei ?? null,
    status: 'active',
    usableFrom: null,
    createdAt: now,
  };
}

/**
 * Lets money go to an account that is new and waits.
 * @throws Problem customer_not_found, settlement_instruction_not_found
 */
export async function releaseSettlementInstruction(
  room: CustomersRoom,
  customerId: string,
  id: string,
  inCommit?: (connection: Queryable, instruction: SettlementInstruction) => Promise<void>,
): Promise<void> {
  await inTransaction(room.pool, async (connection) => {
    const released = await releaseInstruction(connection, customerId, id);
    if (released === undefined) throw await instructionNotFound(room, customerId);
    await inCommit?.(connection, released);
  });
}

async function instructionNotFound(room: CustomersRoom, customerId: string): Promise<Problem> {
  if ((await findCustomer(room.pool, customerId)) === undefined) return customerNotFound();
  const detail = 'The customer has no settlement instruction with this id.';
  return new Problem('settlement_instruction_not_found', detail);
}

/** Accounts that have waited long enough may be paid. */
export function accountWaitSweep({ pool, clock }: Pick<CustomersRoom, 'pool' | 'clock'>): Sweep {
  return {
    name: 'end_account_waits',
    does: 'Puts new accounts of customers and the house into use after the wait that the four-eyes policy sets.',
    everyMs: 30_000,
    isAudited: true,
    run: () => inTransaction(pool, (connection) => endWaits(connection, clock.now())),
    nextDueAt: () => firstWaitEnds(pool),
  };
}

/**
 * Takes an instruction out of use. Doing it again is no error.
 * @throws Problem customer_not_found, settlement_instruction_not_found
 */
export async function retireSettlementInstruction(
  room: CustomersRoom,
  customerId: string,
  id: string,
): Promise<void> {
  const isThere = await inTransaction(room.pool, (connection) =>
    retireInstruction(connection, customerId, id),
  );
  if (!isThere) throw await instructionNotFound(room, customerId);
  await afterCommit(() => room.directory.customerChanged(customerId));
}
