import type { Kind } from '../approvals/policy-words.ts';
import { readCurrency } from '../money/codes.ts';
import type { Asked, Given, SendOptions } from './action.tsx';
import { CURRENCY, check } from './written-forms.ts';

/** A command of the service as a page offers it: what people have to know, and to say, for it. */
export interface PageCommand<Subject> {
  readonly label: string;
  readonly scope: string;
  /** Which rule of four eyes it is under, so that the approver is told why; of some the reason is in the command itself. */
  readonly why: Kind | 'none';
  readonly about: string;
  /** What is said once it is done; some of it only the answer knows. */
  readonly done: string | ((answer: object) => string);
  readonly asks?: (subject: Subject) => readonly Asked[];
  /** `ids` are those of its path, in their order. */
  readonly send: (ids: readonly string[], given: Given, options: SendOptions) => PromiseLike<unknown>;
}

export type PageCommands<Subject> = Readonly<Record<string, PageCommand<Subject>>>;

export const REASON: Asked = { name: 'reason', label: 'Reason, kept with it', rows: 2 };
export const BANK_REFERENCE: Asked = {
  name: 'bankReference',
  label: "The bank's reference",
  isOptional: true,
};
export const DETAIL: Asked = { name: 'detail', label: 'What the bank said', rows: 2, isOptional: true };

export const CURRENCY_ASKED: Asked = {
  name: 'currency',
  label: 'Currency',
  read: readCurrency,
  check: check(CURRENCY.pattern, CURRENCY.wants),
};
/** Digits alone: what a currency's decimals are is known to the service, and nothing is guessed. */
export const MONEY_ASKED: readonly Asked[] = [
  CURRENCY_ASKED,
  {
    name: 'amount',
    label: 'Amount, such as 1000.00',
    check: check(/^\d{1,18}(\.\d{1,3})?$/, 'Enter digits, such as 1000.00.'),
  },
];

const payment = { scope: 'operator:payouts' } as const;
/** Of a payment that a person reports as paid. */
export const CONFIRMED = {
  ...payment,
  why: 'payment_confirmed',
  about: 'For when no statement reports that the bank has paid it.',
  done: 'It counts as paid.',
  asks: () => [BANK_REFERENCE],
} as const;
/** Of one that a person reports as failed. */
export const FAILED = {
  ...payment,
  why: 'payment_failed',
  about: 'The bank rejected it or sent it back, and no file reports that.',
  asks: () => [DETAIL],
} as const;
/** Of one that is made again, or to another account. */
export const AGAIN = {
  ...payment,
  why: 'payment_retried',
  about: "The money goes to the customer's current account.",
  done: 'It goes out in the next run.',
} as const;

export function text(given: string | undefined): string {
  return given?.trim() ?? '';
}

/** Of what was asked for, what was said. */
export function filled(given: Given, ...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, text(given[name])]).filter(([, said]) => said !== ''));
}
