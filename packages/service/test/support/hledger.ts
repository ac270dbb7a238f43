import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatAmount, knownCurrency } from '@firmquote/fx';
import type { Pool } from '../../src/database/pool.ts';
import { exportAccount } from '../../src/ledger/hledger.ts';

/** hledger is a program of its own that has never seen this code: what it accepts adds up. */
const CHECKS = ['balancednoautoconversion', 'accounts', 'commodities', 'ordereddates'];
const hasHledger = spawnSync('hledger', ['--version']).status === 0;
/** Options of a test that needs it. */
export const needsHledger: { readonly skip?: string } = hasHledger
  ? {}
  : { skip: 'hledger is not installed' };

export function hledger(journal: string, ...args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'fq-hledger-'));
  try {
    const file = join(folder, 'books.journal');
    writeFileSync(file, journal);
    return spawnSync('hledger', ['-f', file, ...args], { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export function hledgerCheck(journal: string) {
  return hledger(journal, 'check', ...CHECKS);
}

/** `account,currency,amount`, sorted; an amount of nothing is `0`. */
export function hledgerBalances(journal: string): string[] {
  const { status, stdout, stderr } = hledger(
    journal,
    'bal',
    '-N',
    '--flat',
    '-E',
    '--layout=bare',
    '-O',
    'csv',
  );
  if (status !== 0) throw new Error(stderr);
  const lines = stdout.trim().split('\n').slice(1);
  return lines.map((line) => line.replaceAll('"', '')).sort();
}

/** Our own balances in the same form. */
export async function ownBalances(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{
    customer_id: string;
    account: string;
    currency: string;
    balance: string;
  }>('select * from balances');
  const lines = rows.map(({ customer_id, account, currency, balance }) => {
    const name = exportAccount(account, customer_id, currency);
    const minor = BigInt(balance);
    return `${name},${currency},${minor === 0n ? '0' : formatAmount(minor, knownCurrency(currency))}`;
  });
  return lines.sort();
}
