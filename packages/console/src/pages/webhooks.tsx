import type { OperatorWebhook, OperatorWebhookWithSecret } from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import { Action } from '../parts/action.tsx';
import { type Column, Listing } from '../parts/listing.tsx';
import { Empty } from '../parts/states.tsx';
import { At, Status, Verbatim } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { Way } from '../parts/way.tsx';
import { check } from '../parts/written-forms.ts';

const COLUMNS: readonly Column<OperatorWebhook>[] = [
  {
    name: 'Address',
    isText: true,
    cell: ({ webhookId, url }) => (
      <Way to="/webhooks/$webhookId" params={{ webhookId }}>
        <Verbatim text={url} />
      </Way>
    ),
  },
  { name: 'About', isText: true, cell: ({ description }) => <Verbatim text={description ?? ''} /> },
  { name: 'Events', isText: true, cell: ({ types }) => (types.length === 0 ? 'All' : types.join(', ')) },
  {
    name: 'Status',
    cell: ({ status }) => <Status of={status} mood={status === 'enabled' ? 'ok' : 'warn'} />,
  },
  { name: 'Since', cell: ({ createdAt }) => <At at={createdAt} /> },
];

/** Programs of the house that are told what happens. */
export function Webhooks() {
  useTitle('Webhooks');
  return (
    <>
      <div className="page-head">
        <h1>Webhooks</h1>
        <Action
          name="webhook"
          label="New webhook"
          action="Create webhook"
          isFirst
          scope="operator:webhooks"
          asks={[
            { name: 'url', label: 'Address', check: check(/^https?:\/\/\S+$/, 'Must start with https://.') },
            { name: 'description', label: 'What it is for', isOptional: true },
          ]}
          send={({ url = '', description }, { idempotencyKey }) =>
            operator.createOperatorWebhook(
              { url: url.trim(), description: description?.trim() || null },
              { idempotencyKey },
            )
          }
          secretOf={(answer) => [['Signing secret', (answer as OperatorWebhookWithSecret).secret]]}
          done="Events are sent from now on."
        />
      </div>
      <Listing
        name="Webhooks"
        filters={[]}
        read={(_, cursor) => operator.listOperatorWebhooks({ cursor, limit: 50 })}
        columns={COLUMNS}
        idOf={({ webhookId }) => webhookId}
        empty={
          <Empty title="No webhooks yet">
            <p>Create one to tell a program of exceptions, approvals and sources that are down.</p>
          </Empty>
        }
      />
    </>
  );
}
