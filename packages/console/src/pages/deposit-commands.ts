import { operator } from '../api/session.ts';
import { filled, MONEY_ASKED, type PageCommand, text } from '../parts/page-command.ts';
import { check, DAY, INSTANT, readInstant } from '../parts/written-forms.ts';

/** Money that a person knows to be at the bank. */
export const RECORD_DEPOSIT: PageCommand<undefined> = {
  label: 'Record a deposit',
  scope: 'operator:funding',
  why: 'recorded_deposit',
  about:
    'For money that is at the bank and that no statement has reported yet. It is booked and matched like any other deposit. A bank reference counts once on an account.',
  done: saidOfDeposit,
  asks: () => [
    ...MONEY_ASKED,
    { name: 'bankReference', label: "The bank's reference", hint: 'As the statement will have it.' },
    { name: 'remitterName', label: 'Who sent it' },
    { name: 'remitterAccount', label: 'Account it came from', isOptional: true },
    { name: 'remittanceText', label: 'Text of the payment', rows: 2, isOptional: true },
    { name: 'reference', label: 'Reference, if it is not in the text', isOptional: true },
    {
      name: 'receivedAt',
      label: 'Arrived at, UTC',
      hint: 'Now, if empty. It decides whether the money was in time.',
      isOptional: true,
      read: readInstant,
      check: check(INSTANT.pattern, INSTANT.wants),
    },
    {
      name: 'valueDate',
      label: 'Value date',
      hint: 'The day it arrived, if empty.',
      isOptional: true,
      type: 'date',
      check: check(DAY.pattern, DAY.wants),
    },
    { name: 'virtualAccount', label: 'Virtual account it arrived on', isOptional: true },
    {
      name: 'account',
      label: 'House account it arrived on',
      hint: 'The one that customers pay this currency into, if empty.',
      isOptional: true,
    },
  ],
  send: async (_, given, options) => {
    const { currency, amount, bankReference, remitterName } = given;
    const { data, status } = await operator
      .recordDeposit(
        {
          currency: text(currency),
          amount: text(amount),
          bankReference: text(bankReference),
          remitterName: text(remitterName),
          ...filled(given, 'remitterAccount', 'remittanceText', 'reference', 'receivedAt', 'valueDate'),
          ...filled(given, 'virtualAccount', 'account'),
        },
        options,
      )
      .withResponse();
    return { ...data, wasThere: status === 200 };
  },
};

/** Of the same entry again the service answers with the deposit that is there. */
function saidOfDeposit(answer: object): string {
  const { status, wasThere } = answer as { readonly status?: string; readonly wasThere?: boolean };
  if (wasThere === true) return 'It was recorded before. Nothing was added.';
  return status === 'matched' ? 'It is recorded and matched.' : 'It is recorded and waits for its match.';
}
