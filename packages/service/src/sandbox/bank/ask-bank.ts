import { randomUUID } from 'node:crypto';
import type { BookBankEntry } from '@firmquote/api/operations/sandbox';
import { findCurrency } from '@firmquote/fx';
import {
  type BookedEntry,
  bankReferenceOf,
  entryIdOf,
  type HouseAccount,
  houseAccountOf,
  type Movement,
  movement,
  returnOf,
} from '@firmquote/sandbox-bank';
import { findDepositOf } from '../../bank-statements/book-credits.ts';
import { collectionAccounts } from '../../customers/collection-accounts.ts';
import { readAmount } from '../../deposits/read-deposit.ts';
import type { DepositRecord, NewDeposit } from '../../deposits/record.ts';
import { Problem } from '../../problems/problem.ts';
import { awaitEffect } from './await-effect.ts';
import { bookMovements } from './book.ts';
import { depositReference, findBySource, findEntry } from './books-store.ts';
import { actAtBank, type BankRoom } from './deliver-files.ts';

/** Booked and delivered. Asked again with the same source, it is the same entry. */
async function bookNow(room: BankRoom, asked: Movement): Promise<BookedEntry> {
  await actAtBank(room, async (connection, files) => {
    const file = await bookMovements(connection, [asked], room.clock.now());
    if (file !== undefined) files.push(file);
  });
  const entry = await findBySource(room.pool, [asked.source]);
  if (entry === undefined) throw new Error(`${asked.source} was not booked`);
  return entry;
}

/**
 * Money arrives now, and is answered as the deposit that it has become.
 * @throws Problem overloaded
 */
export async function sendDeposit(room: BankRoom, asked: Movement): Promise<DepositRecord> {
  const entry = await bookNow(room, asked);
  const { account } = entry.account;
  return awaitEffect(room, () => findDepositOf(room.pool, account, bankReferenceOf(entry.id)));
}

type AskedDeposit = Pick<
  NewDeposit,
  'currency' | 'amountMinor' | 'remittanceText' | 'remitterName' | 'remitterAccount'
>;

/**
 * The movement of a deposit that somebody asks for.
 * @throws Problem currency_not_supported, where the house has no account
 */
export async function askedDeposit(room: BankRoom, source: string, asked: AskedDeposit): Promise<Movement> {
  return movement({
    source,
    account: await accountIn(room, asked.currency),
    direction: 'credit',
    kind: 'payment',
    amountMinor: asked.amountMinor,
    uetr: randomUUID(),
    remittanceText: asked.remittanceText,
    counterpartyName: asked.remitterName,
    counterpartyAccount: asked.remitterAccount,
  });
}

/**
 * An entry of the bank's own making.
 * @throws Problem validation_failed, currency_not_supported, amount_precision_invalid
 */
export async function bookAsked(room: BankRoom, source: string, asked: BookBankEntry): Promise<BookedEntry> {
  const currency = findCurrency(asked.currency);
  if (currency === undefined) throw noAccount(asked.currency);
  return bookNow(
    room,
    movement({
      source,
      account: await accountIn(room, currency.code),
      direction: asked.direction,
      kind: asked.kind ?? 'payment',
      amountMinor: readAmount(asked.amount, currency),
      endToEndId: asked.endToEndId ?? null,
      remittanceText: asked.text,
      counterpartyName: asked.counterpartyName ?? null,
      counterpartyAccount: asked.counterpartyAccount ?? null,
    }),
  );
}

/**
 * The remitter's bank takes a deposit back, all of it and once.
 * @throws Problem deposit_not_found; invalid_state_transition for one that the simulated bank has not booked
 */
export async function returnDeposit(room: BankRoom, depositId: string, reason: string): Promise<BookedEntry> {
  const reference = await depositReference(room.pool, depositId);
  if (reference === undefined) throw new Problem('deposit_not_found', 'There is no deposit with this id.');
  const entryId = entryIdOf(reference);
  const entry = entryId === undefined ? undefined : await findEntry(room.pool, entryId);
  if (entry === undefined || entry.direction !== 'credit') {
    throw new Problem('invalid_state_transition', 'The simulated bank has not booked this deposit.', {
      members: { from: 'received', to: 'returned' },
    });
  }
  return bookNow(room, returnOf(entry, reason));
}

async function accountIn(room: BankRoom, currency: string): Promise<HouseAccount> {
  const [kept] = await collectionAccounts(room.pool, [currency]);
  const account = kept && houseAccountOf(currency, kept.details);
  if (account === undefined) throw noAccount(currency);
  return account;
}

function noAccount(currency: string): Problem {
  return new Problem('currency_not_supported', `The house has no account in ${currency}.`, {
    field: '/currency',
  });
}
