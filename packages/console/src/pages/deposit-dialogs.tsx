import type { Deposit } from '@firmquote/client/operator';
import type { ReactNode } from 'react';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { decimalsOf, enteredAmount, formatAmount, parseAmount } from '../money/amount.ts';
import { useCommand } from '../parts/command.tsx';
import { useDrafts } from '../parts/draft.ts';
import { AmountField, CommandDialog, SelectField, TextField } from '../parts/form.tsx';

export type DepositAction = 'return' | 'ignore' | 'book' | 'release' | 'unmatch' | 'assign' | 'note';

interface ActionTexts {
  readonly label: string;
  readonly button: string;
  readonly about: string;
  readonly done: string;
}

const TEXTS: Readonly<Record<DepositAction, ActionTexts>> = {
  return: {
    label: 'Return money',
    button: 'Return it',
    about: 'It goes back with the next settlement run, to the account that it came from.',
    done: 'It goes back with the next settlement run.',
  },
  ignore: {
    label: 'Set the deposit aside',
    button: 'Set aside',
    about: 'Its money stays in suspense. It can still be matched or returned.',
    done: 'It is set aside.',
  },
  book: {
    label: 'Book it as the house’s own',
    button: 'Book it',
    about: 'All of it moves from suspense to a house account.',
    done: 'It is booked.',
  },
  release: {
    label: 'Release the deposit',
    button: 'Release it',
    about: 'It is matched as if the customer had paid it.',
    done: 'It is released.',
  },
  unmatch: {
    label: 'Undo the match',
    button: 'Undo it',
    about: 'The money goes back to suspense, and the trade waits for it again. You can match it elsewhere.',
    done: 'The match is undone.',
  },
  assign: {
    label: 'Assign the work',
    button: 'Assign',
    about: 'To a person or a team. Leave it empty for nobody.',
    done: 'It is assigned.',
  },
  note: { label: 'Add a note', button: 'Add', about: 'It is kept with the deposit.', done: 'It is added.' },
};

export function isDepositAction(name: string | undefined): name is DepositAction {
  return name !== undefined && Object.hasOwn(TEXTS, name);
}

interface Intent {
  readonly action: DepositAction;
  readonly reason: string;
  readonly version: number;
  readonly amount?: string;
  readonly as: 'interest' | 'bank_charges' | 'house_funds';
  readonly assignee: string;
  readonly transactionId: string;
}

interface DepositDialogProps {
  readonly action: DepositAction;
  readonly deposit: Deposit;
  readonly version: number;
  readonly free: string;
  readonly meanwhile: ReactNode;
  readonly onSeen: (version: number) => void;
  readonly onClose: () => void;
}

export function DepositDialog({
  action,
  deposit,
  version,
  free,
  meanwhile,
  onSeen,
  onClose,
}: DepositDialogProps) {
  const { given, change, forget } = useDepositDrafts(action, deposit, free);
  const amount = parseAmount(given.text, decimalsOf(deposit.currency));
  const command = useCommand(
    `deposit.${deposit.depositId}`,
    (intent: Intent, options) => send(deposit.depositId, intent, options),
    (after) => {
      forget();
      onSeen(after.version);
    },
  );
  const { label, button, about, done } = TEXTS[action];
  const isCurrent = deposit.version === version;
  const isReady =
    (!takesReason(action) || given.reason.trim() !== '') && (action !== 'return' || amount.ok) && isCurrent;
  const submit = () =>
    command.send({
      action,
      reason: given.reason.trim(),
      version,
      ...(action === 'return' && amount.ok ? { amount: amount.amount } : {}),
      as: given.as as Intent['as'],
      assignee: given.assignee.trim(),
      transactionId: given.transactionId,
    });
  return (
    <CommandDialog
      label={label}
      action={button}
      scope="operator:deposits"
      command={command}
      isReady={isReady}
      done={done}
      meanwhile={meanwhile}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{about}</p>
      <ActionFields {...{ action, deposit, given, change }} />
      {!isCurrent && (
        <p className="wrong">It has changed since you opened it. Close this and look at it again.</p>
      )}
    </CommandDialog>
  );
}

function takesReason(action: DepositAction): boolean {
  return action !== 'assign';
}

function useDepositDrafts(action: DepositAction, deposit: Deposit, free: string) {
  const session = useSession();
  return useDrafts(`deposit.${action}.${deposit.depositId}`, {
    reason: '',
    text: enteredAmount(free, decimalsOf(deposit.currency)),
    as: 'interest',
    assignee: session.name,
    transactionId: '',
  });
}

/** What has to be said for an action, besides that it is meant. */
function ActionFields({
  action,
  deposit: { currency, allocations },
  given: { reason, text, as, assignee, transactionId },
  change,
}: Pick<DepositDialogProps, 'action' | 'deposit'> &
  Pick<ReturnType<typeof useDepositDrafts>, 'given' | 'change'>) {
  return (
    <>
      {action === 'return' && (
        <AmountField
          label="Amount"
          currency={currency}
          decimals={decimalsOf(currency)}
          value={text}
          onChange={(value) => change('text', value)}
        />
      )}
      {action === 'book' && (
        <SelectField label="As" value={as} onChange={(value) => change('as', value)} options={BOOKED_AS} />
      )}
      {action === 'unmatch' && allocations.length > 1 && (
        <SelectField
          label="From"
          value={transactionId}
          onChange={(value) => change('transactionId', value)}
          options={[
            ['', 'All its trades'],
            ...allocations.flatMap(({ transactionId: id, allocatedAmount }) =>
              id === null ? [] : [[id, `${id}, ${formatAmount(allocatedAmount)} ${currency}`] as const],
            ),
          ]}
        />
      )}
      {action === 'assign' && (
        <TextField label="To" value={assignee} onChange={(value) => change('assignee', value)} />
      )}
      {takesReason(action) && (
        <TextField
          label={action === 'note' ? 'Note' : 'Reason, kept with the deposit'}
          rows={2}
          value={reason}
          onChange={(value) => change('reason', value)}
        />
      )}
    </>
  );
}

const BOOKED_AS = [
  ['interest', 'Interest'],
  ['bank_charges', 'Bank charges'],
  ['house_funds', 'House funds'],
] as const;

function send(
  depositId: string,
  intent: Intent,
  { idempotencyKey }: { readonly idempotencyKey: string },
): PromiseLike<Deposit | Awaited<ReturnType<typeof operator.matchDeposit>>> {
  const { reason } = intent;
  const options = { idempotencyKey, ifMatch: `"v${intent.version}"` };
  switch (intent.action) {
    case 'return':
      return operator.returnDeposit(depositId, { amount: intent.amount, reason }, options);
    case 'ignore':
      return operator.ignoreDeposit(depositId, { reason }, options);
    case 'book':
      return operator.bookDeposit(depositId, { as: intent.as, reason }, options);
    case 'release':
      return operator.releaseDeposit(depositId, { reason }, options);
    case 'unmatch': {
      const from = intent.transactionId === '' ? {} : { transactionId: intent.transactionId };
      return operator.unmatchDeposit(depositId, { ...from, reason }, options);
    }
    case 'assign':
      return operator.assignDeposit(
        depositId,
        { assignee: intent.assignee === '' ? null : intent.assignee },
        options,
      );
    default:
      return operator.addDepositNote(depositId, { note: reason }, options);
  }
}
