import { operation } from '../operation.ts';
import { byDefault, integer, list, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, text } from '../parameters.ts';
import { CalendarDate, CurrencyCode, Instant, literals, named, nullable } from '../schema.ts';
import { Type } from '../typebox.ts';
import * as examples from './examples.ts';

/** The customer's feed of events. */

export const EVENT_TYPES = [
  'quote.executed',
  'quote.cancelled',
  'quote.expired',
  'quote.withdrawn',
  'transaction.created',
  'transaction.partially_funded',
  'transaction.awaiting_funds',
  'transaction.funded',
  'transaction.overdue',
  'transaction.settling',
  'transaction.settled',
  'transaction.settlement_failed',
  'transaction.cancelled',
  'transaction.value_date_changed',
  'transaction.hold_placed',
  'transaction.hold_released',
  'refund.paid',
  'refund.failed',
  'balance.topped_up',
  'balance.debt_booked',
  'balance.debt_paid',
  'balance.debt_released',
  'balance.top_up_reversed',
  'withdrawal.created',
  'withdrawal.redirected',
  'withdrawal.paid',
  'withdrawal.failed',
  'withdrawal.cancelled',
  'deposit.received',
  'deposit.matched',
  'deposit.unmatched',
  'market.closed',
  'market.opened',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

const EventId = Type.String({ examples: ['evt_01jngx7z5d2m8r4v6t9k3b1c0a'] });
const Sequence = Type.Integer({ minimum: 0, description: 'Counts from 1 for each customer, without gaps.' });
const optionalText = (description?: string) =>
  Type.Optional(Type.String(description === undefined ? {} : { description }));

/** What an event says depends on its type; members that it has nothing to say in are left out, or null. */
const EventData = named(
  'EventData',
  Type.Object({
    eventId: EventId,
    sequence: Sequence,
    quoteId: optionalText(),
    transactionId: optionalText(),
    depositId: optionalText(),
    version: nullable(
      Type.Integer({
        description:
          'Of the quote, in events whose type begins with `quote.`, otherwise of the transaction or withdrawal; as it is afterwards.',
      }),
    ),
    status: nullable(Type.String({ description: 'Of what `version` is of, afterwards.' })),
    previousStatus: nullable(Type.String()),
    clientReference: nullable(Type.String()),
    statusReason: optionalText('Why a transaction has its status.'),
    valueDate: Type.Optional(CalendarDate),
    previousValueDate: Type.Optional(CalendarDate),
    withdrawalId: optionalText(),
    reference: optionalText('Reference of a withdrawal, as on the payment.'),
    amount: optionalText('Of a deposit, refund, top-up, withdrawal or debt.'),
    currency: Type.Optional(CurrencyCode),
    allocatedAmount: optionalText('Part of a deposit that went to the transaction.'),
    matchRule: optionalText('Rule that matched a deposit.'),
    from: Type.Optional(literals(['balance'], { description: 'Where a deposit was taken back from.' })),
    failure: optionalText('How a withdrawal failed.'),
    reason: optionalText('Why a refund was made, the market closed, or you owe something.'),
    holdId: optionalText(),
    kind: optionalText('Kind of hold.'),
    haltId: optionalText('Set if a halt closed the market.'),
    scope: optionalText('What is halted: `all`, `pair` or `customer`.'),
    pair: optionalText('`*`: all pairs.'),
    state: Type.Optional(literals(['open', 'closed'])),
    reopensAt: Type.Optional(Instant),
  }),
);

export const EventTypeName = named('EventType', literals(EVENT_TYPES));

export const Event = named(
  'Event',
  Type.Object({
    eventId: EventId,
    sequence: Sequence,
    type: EventTypeName,
    timestamp: Instant,
    data: EventData,
  }),
);

/** What a webhook carries: the event, without what stands in its data already. */
export const WebhookEvent = named(
  'WebhookEvent',
  Type.Object({
    type: Type.String({ description: 'An event type, or `webhook.test`.' }),
    timestamp: Instant,
    data: EventData,
  }),
);

export const listEvents = operation({
  id: 'listEvents',
  method: 'GET',
  path: '/v1/customer/events',
  tag: 'Events',
  summary: 'Read the event feed',
  description:
    'Events come in order and without gaps: read on after the last one that you have seen. With `Prefer: wait=30` an empty page waits up to 30 s for an event.',
  access: { audience: 'customer', scope: 'transactions:read' },
  rate: 'reads',
  query: {
    after: text(
      64,
      'Id of the last event that you have seen, or `latest`: only what happens from now on. Default: from the oldest one kept.',
    ),
    types: list(EVENT_TYPES),
    limit: byDefault(integer(1, PAGE_SIZE_MAX, 'Events on a page.'), PAGE_SIZE_DEFAULT),
  },
  waits: true,
  answers: {
    200: named(
      'EventPage',
      Type.Object({
        items: Type.Array(Event),
        lastEventId: nullable(
          Type.String({
            description:
              'Give it as `after` next time: with `types` it may be an event of another type. Null: no event is kept; leave out `after` next time.',
          }),
        ),
        hasMore: Type.Boolean(),
        missed: Type.Integer({
          minimum: 0,
          description: 'Events after `after` that are no longer kept; 0 if you read at least every 30 days.',
        }),
      }),
    ),
  },
  problems: ['cursor_invalid'],
  example: examples.events,
});
