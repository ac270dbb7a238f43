import { operation } from '../operation.ts';
import { list, strictCurrency } from '../parameters.ts';
import { CalendarDate, CurrencyCode, Instant, literals, named, nullable, pageOf } from '../schema.ts';
import { type Static, Type } from '../typebox.ts';

/** Whether bank and ledger agree, and if not, why. */

export const ITEM_KINDS = [
  'entry_not_booked',
  'entry_not_in_statement',
  'payment_not_told',
  'payment_return_not_told',
  'deposit_not_told',
  'deposit_return_not_told',
  'top_up_not_told',
  'other_not_told',
] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

const Amount = Type.String();

const BankReconciliation = named(
  'BankReconciliation',
  Type.Object({
    at: Instant,
    balanced: Type.Boolean({ description: 'Whether every difference is explained.' }),
    currencies: Type.Array(
      Type.Object({
        currency: CurrencyCode,
        accounts: Type.Array(
          Type.Object({
            account: Type.String(),
            opening: nullable(Amount),
            openingDate: nullable(CalendarDate),
            closing: nullable(Amount),
            closingDate: nullable(CalendarDate),
            statementNumber: nullable(Type.String()),
            toldSince: Amount,
          }),
        ),
        opening: Type.String({ description: 'Opening balances of the first statements; not in the ledger.' }),
        closing: Type.String({ description: 'Closing balances of the last statements.' }),
        toldSince: Type.String({ description: 'Booked, but not yet in a statement with a balance.' }),
        toldBefore: Type.String({
          description: 'Reported before the first statement, so it is in its opening balance.',
        }),
        bank: Type.String({ description: 'closing + toldSince' }),
        ledger: Type.String({ description: 'The ledger account `bank` of all owners.' }),
        difference: Type.String({
          description: 'bank − ledger = opening − toldBefore + items + unexplained',
        }),
        items: Type.Array(
          Type.Object({ kind: literals(ITEM_KINDS), count: Type.Integer(), amount: Amount }),
          { description: 'What only one side has, by kind; listed by `…/bank-reconciliation/items`.' },
        ),
        unexplained: Type.String({ description: 'Zero, unless statements are missing.' }),
      }),
    ),
  }),
);
export type BankReconciliation = Static<typeof BankReconciliation>;

const Item = named(
  'BankReconciliationItem',
  Type.Object({
    kind: literals(ITEM_KINDS),
    currency: CurrencyCode,
    amount: Type.String({ description: 'How far it puts the bank above the ledger.' }),
    entryId: nullable(Type.String()),
    depositId: nullable(Type.String()),
    transactionId: nullable(Type.String()),
    withdrawalId: nullable(Type.String()),
    journalEntryId: nullable(Type.String()),
    customerId: nullable(Type.String()),
    since: Instant,
  }),
);
export type BankReconciliationItem = Static<typeof Item>;

const tag = 'Operator: ledger';
const access = { audience: 'operator', scope: 'operator:ledger' } as const;
const PATH = '/v1/operator/ledger/bank-reconciliation';
const currency = strictCurrency('Only this currency.');

export const getBankReconciliation = operation({
  id: 'getBankReconciliation',
  method: 'GET',
  path: PATH,
  tag,
  summary: 'Reconcile the bank accounts of the house with the ledger',
  description:
    'Compares what banks have reported with the ledger account `bank`, by currency. Open items explain the difference; `unexplained` is what they do not.',
  access,
  query: { currency },
  answers: { 200: BankReconciliation },
});

export const listBankReconciliationItems = operation({
  id: 'listBankReconciliationItems',
  method: 'GET',
  path: `${PATH}/items`,
  tag,
  summary: 'List what only the bank or only the ledger has, oldest first',
  description: 'They explain the differences of the reconciliation.',
  access,
  query: { currency, kind: list(ITEM_KINDS) },
  pages: true,
  answers: { 200: pageOf(Item) },
});
