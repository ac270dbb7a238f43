import { operation } from '../operation.ts';
import { choice, id, instant, list, text } from '../parameters.ts';
import { CLOSED, described, Instant, line, literals, named, nullable, pageOf } from '../schema.ts';
import { type TSchema, Type } from '../typebox.ts';
import { EventTypeName, WebhookEvent } from './events.ts';

/** Endpoints that are told of events: those of customers, and those of operators. The same operations at two places. */

const TYPES_MAX = 50; // limit: Event types that a webhook names
const OVERLAP_HOURS_MAX = 168; // limit: {hours} Life of the secret that a new one replaces

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export const FAILURES = [
  'status',
  'redirect',
  'timeout',
  'connection_failed',
  'tls_failed',
  'answer_invalid',
  'name_not_found',
  'address_not_allowed',
  'event_gone',
] as const;
const WEBHOOK_ID = 'whk_01jngx7z5d2m8r4v6t9k3b1c0a';

const Url = named(
  'WebhookUrl',
  Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'https, on the public internet. In the sandbox also http, and this machine.',
    examples: ['https://example.com/webhooks'],
  }),
);
const Description = line(200);
const Ordering = named(
  'WebhookOrdering',
  literals(['none', 'resource'], {
    description:
      '`resource`: an event waits until all earlier ones of its quote, transaction, deposit or withdrawal are delivered.',
  }),
);
const Attempt = named(
  'WebhookAttempt',
  Type.Object({
    at: Instant,
    durationMs: Type.Integer(),
    status: nullable(Type.Integer({ description: 'HTTP status of the response; null: there was none.' })),
    failure: nullable(literals(FAILURES)),
    answer: nullable(Type.String({ description: 'The first 1,024 bytes.' })),
  }),
);
const Replayed = named(
  'WebhookReplay',
  Type.Object({
    replayed: Type.Integer({ minimum: 0 }),
    lastEventId: nullable(Type.String({ description: 'Pass it as `after` to go on.' })),
    hasMore: Type.Boolean(),
  }),
);
const RotateSecret = Type.Object(
  {
    overlapHours: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: OVERLAP_HOURS_MAX,
        description: 'How long messages carry signatures of both secrets. Default: 24.',
      }),
    ),
  },
  CLOSED,
);
const asymmetric = Type.Boolean({ description: 'Also sign with Ed25519 (`v1a`).' });

interface Owners<Message extends TSchema> {
  /** Before the names of schemas and operations. */
  readonly prefix: '' | 'Operator';
  readonly audience: 'customer' | 'operator';
  readonly scope: string;
  readonly tag: 'Webhooks' | 'Operator: webhooks';
  readonly path: string;
  readonly Type: TSchema;
  readonly Message: Message;
}

function endpointSchemasOf({ prefix, Type: EventName }: Owners<TSchema>) {
  const types = Type.Unsafe<string[]>(
    Type.Array(EventName, { maxItems: TYPES_MAX, uniqueItems: true, description: 'Empty: all.' }),
  );
  const members = {
    webhookId: Type.String({ examples: [WEBHOOK_ID] }),
    url: Type.String(),
    description: nullable(Type.String()),
    types,
    ordering: Ordering,
    status: literals(['enabled', 'disabled']),
    disabledReason: nullable(
      literals(['by_owner', 'gone', 'attempts_exhausted'], {
        description:
          '`gone`: it answered 410. `attempts_exhausted`: every attempt to deliver an event failed.',
      }),
    ),
    disabledAt: nullable(Instant),
    publicKey: nullable(Type.String({ description: 'For `v1a` signatures: `whpk_…`.' })),
    previousSecretUntil: nullable(described(Instant, 'Until then the previous secret also signs.')),
    lastSequence: Type.Integer({ minimum: 0, description: 'The last event of the feed read for it.' }),
    version: Type.Integer({ minimum: 1 }),
    createdAt: Instant,
    updatedAt: Instant,
  };
  const Webhook = named(`${prefix}Webhook`, Type.Object(members));
  const secret = Type.String({ description: 'Shown only once: `whsec_…`.' });
  return {
    Webhook,
    WithSecret: named(`${prefix}WebhookWithSecret`, Type.Object({ ...members, secret })),
    Create: Type.Object(
      {
        url: Url,
        description: Type.Optional(nullable(Description)),
        types: Type.Optional(types),
        ordering: Type.Optional(Ordering),
        asymmetric: Type.Optional(asymmetric),
      },
      CLOSED,
    ),
    Update: Type.Object(
      {
        url: Type.Optional(Url),
        description: Type.Optional(nullable(Description)),
        types: Type.Optional(types),
        ordering: Type.Optional(Ordering),
        status: Type.Optional(literals(['enabled', 'disabled'])),
      },
      CLOSED,
    ),
  };
}

type EndpointSchemas = ReturnType<typeof endpointSchemasOf>;

function deliverySchemaOf<Message extends TSchema>({ prefix, Message }: Owners<Message>) {
  return named(
    `${prefix}WebhookDelivery`,
    Type.Object({
      eventId: Type.String({ description: 'Also the `webhook-id`.' }),
      type: Type.String(),
      status: literals(DELIVERY_STATUSES),
      attemptCount: Type.Integer({ description: 'Since the last replay.' }),
      nextAttemptAt: nullable(Instant),
      attempts: Type.Array(Attempt, { description: 'The latest ones, oldest first.' }),
      message: nullable(Message),
    }),
  );
}

function webhookOperations<Message extends TSchema>(owners: Owners<Message>) {
  const schemas = endpointSchemasOf(owners);
  const Delivery = deliverySchemaOf(owners);
  return {
    ...endpointOperations(owners, schemas),
    ...changeOperations(owners, schemas),
    ...deliveryOperations(owners, Delivery),
    ...replayOperations(owners, Delivery),
  };
}

/** What the operations on webhooks have in common. */
function commonOf({ tag, audience, scope, path }: Owners<TSchema>) {
  return {
    base: { tag, access: { audience, scope }, rate: 'reads' } as const,
    params: { webhookId: id('whk') },
    one: `${path}/{webhookId}`,
    problems: ['webhook_not_found'] as const,
  };
}

function endpointOperations<Message extends TSchema>(
  owners: Owners<Message>,
  { Webhook, WithSecret, Create }: EndpointSchemas,
) {
  const { prefix, path } = owners;
  const { base, params, one, problems } = commonOf(owners);
  return {
    create: operation({
      ...base,
      id: `create${prefix}Webhook`,
      method: 'POST',
      path,
      summary: 'Create a webhook',
      description:
        'From now on events are sent to it, signed as in Standard Webhooks. Only this response shows the secret.',
      body: Create,
      sends: { name: prefix === '' ? 'event' : 'operatorEvent', message: owners.Message },
      key: 'secret',
      versioned: true,
      answers: { 201: WithSecret },
      problems: ['limit_exceeded'],
    }),
    list: operation({
      ...base,
      id: `list${prefix}Webhooks`,
      method: 'GET',
      path,
      summary: 'List webhooks, newest first',
      description: 'Includes disabled ones. Secrets are not shown.',
      pages: true,
      answers: { 200: pageOf(Webhook) },
    }),
    get: operation({
      ...base,
      id: `get${prefix}Webhook`,
      method: 'GET',
      path: one,
      summary: 'Read a webhook',
      description: '`disabledReason` says why nothing is sent to it. Its secret is not shown.',
      params,
      versioned: true,
      answers: { 200: Webhook },
      problems,
    }),
  };
}

function changeOperations(owners: Owners<TSchema>, { Webhook, WithSecret, Update }: EndpointSchemas) {
  const { prefix } = owners;
  const { base, params, one, problems } = commonOf(owners);
  return {
    update: operation({
      ...base,
      id: `update${prefix}Webhook`,
      method: 'PATCH',
      path: one,
      summary: 'Change a webhook',
      description: 'A webhook that is enabled again continues where it stopped, with the events since.',
      params,
      body: Update,
      conditional: 'possible',
      answers: { 200: Webhook },
      problems,
    }),
    remove: operation({
      ...base,
      id: `delete${prefix}Webhook`,
      method: 'DELETE',
      path: one,
      summary: 'Delete a webhook',
      description:
        'Nothing more is sent, not even retries. To pause it, set its `status` to `disabled` instead.',
      params,
      answers: { 204: { description: 'Deleted, with its deliveries.' } },
      problems,
    }),
    rotate: operation({
      ...base,
      id: `rotate${prefix}WebhookSecret`,
      method: 'POST',
      path: `${one}/rotate-secret`,
      summary: 'Replace the secret of a webhook',
      description: 'Both secrets sign for a while, so that receivers can switch over.',
      params,
      body: RotateSecret,
      optionalBody: true,
      key: 'secret',
      versioned: true,
      answers: { 200: WithSecret },
      problems,
    }),
  };
}

function deliveryOperations<Delivery extends TSchema>(owners: Owners<TSchema>, Delivery: Delivery) {
  const { prefix } = owners;
  const { base, params, one, problems } = commonOf(owners);
  return {
    test: operation({
      ...base,
      id: `test${prefix}Webhook`,
      method: 'POST',
      path: `${one}/test`,
      summary: 'Send a test event',
      description: 'Sends one `webhook.test` at once and returns the outcome.',
      params,
      answers: { 200: Delivery },
      problems: [...problems, 'overloaded'],
    }),
    deliveries: operation({
      ...base,
      id: `list${prefix}WebhookDeliveries`,
      method: 'GET',
      path: `${one}/deliveries`,
      summary: 'List deliveries, newest event first',
      description: 'Kept as long as the events: 30 days.',
      params,
      query: { status: list(DELIVERY_STATUSES) },
      pages: true,
      answers: { 200: pageOf(Delivery) },
      problems,
    }),
  };
}

/** Of events that were sent before, or should have been. */
function replayOperations<Delivery extends TSchema>(owners: Owners<TSchema>, Delivery: Delivery) {
  const { prefix } = owners;
  const { base, params, one, problems } = commonOf(owners);
  const ofDelivery = { ...params, eventId: id('evt') };
  return {
    replay: operation({
      ...base,
      id: `replay${prefix}WebhookDelivery`,
      method: 'POST',
      path: `${one}/deliveries/{eventId}/replay`,
      summary: 'Send an event again',
      description:
        'Whether it was delivered or not, with a new series of attempts. Only events that were sent to this webhook before.',
      params: ofDelivery,
      answers: { 200: Delivery },
      problems,
    }),
    replayMany: operation({
      ...base,
      id: `replay${prefix}Webhook`,
      method: 'POST',
      path: `${one}/replay`,
      summary: 'Send the events of a period again, or those that failed',
      description:
        'Up to 1,000 events in a call. Without `status`, also events that were never sent, such as those before the webhook was created.',
      params,
      query: {
        from: instant('Events from then on.'),
        to: instant('Events before then.'),
        status: choice(DELIVERY_STATUSES, 'Only deliveries with this status.'),
        after: text(64, 'Go on after this event: `lastEventId` of the previous call.'),
      },
      answers: { 200: Replayed },
      problems: [...problems, 'limit_exceeded', 'cursor_invalid'],
    }),
  };
}

export const WEBHOOKS = webhookOperations({
  prefix: '',
  audience: 'customer',
  scope: 'webhooks:manage',
  tag: 'Webhooks',
  path: '/v1/customer/webhooks',
  Type: EventTypeName,
  Message: WebhookEvent,
});

const OPERATOR_EVENT_TYPES = [
  'exception.opened',
  'approval.requested',
  'approval.decided',
  'payment.failed',
  'price_source.down',
  'price_source.up',
  'calendar.ending',
  'sweep.failing',
  'log.fault',
  'report.failed',
  'webhook.disabled',
  'sign_in.unusual',
] as const;
export type OperatorEventType = (typeof OPERATOR_EVENT_TYPES)[number];

const some = Type.Optional(Type.String());
const OperatorEvent = named(
  'OperatorEvent',
  Type.Object({
    type: Type.String({ description: 'An event type, or `webhook.test`.' }),
    timestamp: Instant,
    data: Type.Object({
      eventId: Type.String(),
      sequence: Type.Integer({ minimum: 0 }),
      exceptionId: some,
      exceptionType: some,
      customerId: Type.Optional(nullable(Type.String())),
      approvalId: some,
      kind: some,
      subject: some,
      status: some,
      source: some,
      currency: some,
      endsOn: some,
      sweep: some,
      reportId: some,
      scheduleId: Type.Optional(nullable(Type.String())),
      log: some,
      webhookId: some,
      personId: some,
      reason: some,
      purpose: some,
      transactionId: some,
      withdrawalId: some,
      returnId: some,
    }),
  }),
);

export const OPERATOR_WEBHOOKS = webhookOperations({
  prefix: 'Operator',
  audience: 'operator',
  scope: 'operator:webhooks',
  tag: 'Operator: webhooks',
  path: '/v1/operator/webhooks',
  Type: named('OperatorEventType', literals(OPERATOR_EVENT_TYPES)),
  Message: OperatorEvent,
});

export type WebhookOperations = typeof WEBHOOKS | typeof OPERATOR_WEBHOOKS;
