import { ACCOUNT_NAMES, type Account, type LedgerAccount } from '@firmquote/api/operations/ledger';

const MEANINGS: Readonly<Record<Account, Omit<LedgerAccount, 'account' | 'normalSide'>>> = {
  bank: {
    type: 'asset',
    title: 'Money at banks',
    meaning: 'Money of this customer, or not yet matched to one, on the accounts of the house.',
    exportName: 'assets:bank',
  },
  customer_receivable: {
    type: 'asset',
    title: 'Owed by customers',
    meaning: 'Sold amounts of executed trades that are not paid yet, and other debts.',
    exportName: 'assets:receivable',
  },
  customer_payable: {
    type: 'liability',
    title: 'Owed to customers',
    meaning: 'Bought amounts of executed trades that are not paid out yet.',
    exportName: 'liabilities:payable',
  },
  customer_excess: {
    type: 'liability',
    title: 'Overpaid by customers',
    meaning: 'Money beyond what a trade needed, and money for cancelled trades; owed back.',
    exportName: 'liabilities:excess',
  },
  suspense: {
    type: 'liability',
    title: 'Deposits without an owner',
    meaning: 'Money that arrived and is not matched to a trade.',
    exportName: 'liabilities:suspense',
  },
  returns_payable: {
    type: 'liability',
    title: 'Owed to remitters',
    meaning: 'Deposits to be returned that have not left the bank yet.',
    exportName: 'liabilities:returns',
  },
  position: {
    type: 'equity',
    title: 'Currency position',
    meaning:
      'What trades took out (debit) and brought in (credit) of each currency, at the market price of the trade.',
    exportName: 'equity:position',
  },
  markup_revenue: {
    type: 'income',
    title: 'Markup',
    meaning: 'What the spread earned: the market amount less the booked one.',
    exportName: 'income:markup',
  },
  customer_balance: {
    type: 'liability',
    title: 'Balances of pre-funded customers',
    meaning: 'Money that customers keep here to pay executions from; proceeds may go here too.',
    exportName: 'liabilities:balance',
  },
  close_out_result: {
    type: 'expense',
    title: 'Result of close-outs',
    meaning: 'What closing out trades at the market cost (debit) or brought (credit) the house.',
    exportName: 'expenses:close-out',
  },
  charges: {
    type: 'expense',
    title: 'Forgiven amounts',
    meaning: 'Amounts forgiven on payments that arrived slightly short, and debts that were written off.',
    exportName: 'expenses:charges',
  },
  bank_charges: {
    type: 'expense',
    title: 'Bank charges',
    meaning: 'What banks took for accounts and payments.',
    exportName: 'expenses:bank-charges',
  },
  interest: {
    type: 'income',
    title: 'Bank interest',
    meaning: 'What banks paid (credit) or took (debit) for money on the accounts of the house.',
    exportName: 'income:interest',
  },
  house_funds: {
    type: 'equity',
    title: 'House funds',
    meaning:
      'What the house put on these accounts (credit) or took from them (debit), such as transfers to its others.',
    exportName: 'equity:house-funds',
  },
};

/** The chart of accounts. Each is kept for every customer and currency; house totals are sums. */
export const ACCOUNTS: readonly LedgerAccount[] = ACCOUNT_NAMES.map((account) => {
  const meaning = MEANINGS[account];
  const normalSide = meaning.type === 'asset' || meaning.type === 'expense' ? 'debit' : 'credit';
  return { account, normalSide, ...meaning };
});

const exportNames = new Map<string, string>(ACCOUNTS.map(({ account, exportName }) => [account, exportName]));

/** Name of an account in an export. One that this list does not know would be a fault; it is shown as equity. */
export function exportNameOf(account: string): string {
  return exportNames.get(account) ?? `equity:${account}`;
}
