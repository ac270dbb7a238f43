import type {
  OperatorWebhook,
  OperatorWebhookDelivery,
  OperatorWebhookWithSecret,
} from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { operator } from '../api/session.ts';
import { Action, versionTag } from '../parts/action.tsx';
import { Fact } from '../parts/facts.tsx';
import { Choice, type Column, Listing } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { At, Status, Verbatim, words } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';

export function WebhookPage() {
  const { webhookId } = useParams({ from: '/webhooks/$webhookId' as never }) as { webhookId: string };
  useTitle('Webhook');
  const query = useQuery({
    queryKey: ['webhook', webhookId],
    queryFn: () => operator.getOperatorWebhook(webhookId),
    refetchInterval: 15_000,
  });
  return (
    <View query={query}>
      {(webhook) => (
        <>
          <div className="page-head">
            <h1>
              <Verbatim text={webhook.url} />
            </h1>
            <Status of={webhook.status} mood={webhook.status === 'enabled' ? 'ok' : 'warn'} />
          </div>
          <section className="card stack">
            <WebhookFacts of={webhook} />
            <WebhookActions of={webhook} />
          </section>
          <Deliveries webhookId={webhookId} />
        </>
      )}
    </View>
  );
}

function WebhookFacts({ of }: { readonly of: OperatorWebhook }) {
  return (
    <dl className="facts">
      <Fact name="Events">{of.types.length === 0 ? 'All' : of.types.join(', ')}</Fact>
      {of.description !== null && (
        <Fact name="For">
          <Verbatim text={of.description} />
        </Fact>
      )}
      {of.disabledReason !== null && <Fact name="Switched off">{words(of.disabledReason)}</Fact>}
      {of.previousSecretUntil !== null && (
        <Fact name="Former secret signs until">
          <At at={of.previousSecretUntil} />
        </Fact>
      )}
    </dl>
  );
}

const STATUSES = ['pending', 'delivered', 'failed'].map((status) => [status, words(status)] as const);

function Deliveries({ webhookId }: { readonly webhookId: string }) {
  return (
    <>
      <h2 className="apart">Deliveries</h2>
      <div className="filters">
        <Choice name="status" label="Status" options={STATUSES} />
      </div>
      <Listing
        name="Deliveries"
        about={webhookId}
        filters={['status']}
        // Each is on its way for seconds.
        everyMs={3_000}
        read={(given, cursor) =>
          operator.listOperatorWebhookDeliveries(webhookId, { ...given, cursor, limit: 20 } as never)
        }
        columns={columns(webhookId)}
        idOf={({ eventId }) => eventId}
        empty={
          <Empty title="Nothing sent yet">
            <p>Send a test, or wait for the first event.</p>
          </Empty>
        }
      />
    </>
  );
}

function WebhookActions({ of: { webhookId, status, version } }: { readonly of: OperatorWebhook }) {
  const isOn = status === 'enabled';
  return (
    <div className="actions">
      <Action
        name="test"
        label="Send a test"
        scope="operator:webhooks"
        send={() => operator.testOperatorWebhook(webhookId)}
        done="A test was sent. See the response below."
      />
      <Action
        name="replay"
        label="Resend failed events"
        scope="operator:webhooks"
        send={() => operator.replayOperatorWebhook(webhookId, { status: 'failed' })}
        done="They are being sent again."
      >
        <p>Everything that failed in the last 30 days is sent again, the oldest first.</p>
      </Action>
      <ReplaceSecret webhookId={webhookId} />
      <Action
        name="switch"
        label={isOn ? 'Switch off' : 'Switch on'}
        title={isOn ? 'Switch the webhook off' : 'Switch the webhook on'}
        scope="operator:webhooks"
        version={versionTag(version)}
        send={(_, { ifMatch }) =>
          operator.updateOperatorWebhook(webhookId, { status: isOn ? 'disabled' : 'enabled' }, { ifMatch })
        }
        done={isOn ? 'It is switched off.' : 'It is switched on.'}
      />
      <Action
        name="delete"
        label="Delete"
        title="Delete the webhook"
        scope="operator:webhooks"
        typed={{ text: webhookId.slice(-4), label: `Last four characters of ${webhookId}` }}
        send={() => operator.deleteOperatorWebhook(webhookId)}
        done="The webhook is deleted."
      />
    </div>
  );
}

function ReplaceSecret({ webhookId }: { readonly webhookId: string }) {
  return (
    <Action
      name="rotate"
      label="Replace secret"
      scope="operator:webhooks"
      asks={[
        {
          name: 'overlap',
          label: 'Both secrets sign for',
          options: [
            ['24', 'a day'],
            ['1', 'an hour'],
            ['168', 'a week'],
          ],
        },
      ]}
      send={({ overlap = '' }, { idempotencyKey }) =>
        operator.rotateOperatorWebhookSecret(
          webhookId,
          { overlapHours: Number.parseInt(overlap, 10) },
          { idempotencyKey },
        )
      }
      secretOf={(answer) => [['Signing secret', (answer as OperatorWebhookWithSecret).secret]]}
      done="The new secret is in use."
    />
  );
}

function columns(webhookId: string): readonly Column<OperatorWebhookDelivery>[] {
  return [
    {
      name: 'Event',
      isText: true,
      cell: ({ type, eventId }) => (
        <>
          {type} <div className="mono dim">{eventId}</div>
        </>
      ),
    },
    {
      name: 'Status',
      cell: ({ status, attemptCount }) => (
        <>
          <Status of={status} mood={status === 'delivered' ? 'ok' : status === 'failed' ? 'bad' : 'idle'} />{' '}
          <span className="dim">
            {attemptCount} {attemptCount === 1 ? 'attempt' : 'attempts'}
          </span>
        </>
      ),
    },
    {
      name: 'Request and response',
      isText: true,
      cell: ({ message, attempts }) => (
        <details>
          <summary>{lastAnswer(attempts.at(-1))}</summary>
          <pre className="body">{JSON.stringify(message, null, 2)}</pre>
          {attempts.map(({ at, durationMs, status, failure, answer }) => (
            <div key={at}>
              <At at={at} full /> {status ?? words(failure ?? 'no answer')} in {durationMs} ms
              {answer !== null && answer !== '' && <pre className="body">{answer}</pre>}
            </div>
          ))}
        </details>
      ),
    },
    {
      name: 'Actions',
      cell: ({ eventId }) => (
        <Action
          name={`resend-${eventId}`}
          label="Send again"
          title="Send this event again"
          scope="operator:webhooks"
          send={() => operator.replayOperatorWebhookDelivery(webhookId, eventId)}
          done="It is on its way."
        />
      ),
    },
  ];
}

function lastAnswer(attempt: OperatorWebhookDelivery['attempts'][number] | undefined): string {
  if (attempt === undefined) return 'Not sent yet';
  return attempt.status === null ? words(attempt.failure ?? 'no answer') : `Answered ${attempt.status}`;
}
