import type { OperatorWithdrawal } from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import { AGAIN, CONFIRMED, FAILED, filled, type PageCommands } from '../parts/page-command.ts';

/** Commands on a withdrawal, by the last name of their paths. */
export const WITHDRAWAL_COMMANDS: PageCommands<unknown> = {
  paid: {
    ...CONFIRMED,
    label: 'The withdrawal is paid',
    send: ([id = ''], given, options) =>
      operator.confirmWithdrawal(id, filled(given, 'bankReference'), options),
  },
  failed: {
    ...FAILED,
    label: 'The withdrawal failed',
    done: 'Its money is back on the balance.',
    send: ([id = ''], given, options) => operator.failWithdrawal(id, filled(given, 'detail'), options),
  },
  redirect: {
    ...AGAIN,
    label: 'Redirect the withdrawal',
    send: ([id = ''], _, options) => operator.redirectWithdrawal(id, {}, options),
  },
  cancel: {
    ...FAILED,
    // One person may: the money stays with the house.
    why: 'none',
    label: 'Cancel the withdrawal',
    about: 'Possible until the bank has it.',
    done: 'Its money is back on the balance.',
    asks: () => [{ name: 'detail', label: 'Why', rows: 2, isOptional: true }],
    send: ([id = ''], given, options) => operator.cancelAnyWithdrawal(id, filled(given, 'detail'), options),
  },
};

const IS_POSSIBLE: Readonly<Record<string, readonly OperatorWithdrawal['status'][]>> = {
  paid: ['pending'],
  failed: ['pending', 'paid'],
  redirect: ['pending'],
  cancel: ['pending'],
};

/** Each command on a withdrawal, by name, and whether it is possible now. The service decides; this is what is worth a button. */
export function withdrawalCommands({ status }: Pick<OperatorWithdrawal, 'status'>) {
  return Object.entries(WITHDRAWAL_COMMANDS).map(([name, command]) => ({
    name,
    command,
    isPossible: IS_POSSIBLE[name]?.includes(status) ?? false,
  }));
}
