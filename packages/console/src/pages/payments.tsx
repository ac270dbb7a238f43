import type { SettlementRun, SettlementRunPreview } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { readCurrency } from '../money/codes.ts';
import { Actor } from '../parts/actor.tsx';
import { type Command, useCommand } from '../parts/command.tsx';
import { useDraft, useOpened } from '../parts/draft.ts';
import { Fact } from '../parts/facts.tsx';
import { CommandDialog, TextField } from '../parts/form.tsx';
import { Choice, type Column, Entry, Listing, Table, useFilters } from '../parts/listing.tsx';
import { Empty, View } from '../parts/states.tsx';
import { At, Money, Status, Verbatim, words } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { CURRENCY, DAY } from '../parts/written-forms.ts';
import { isTooLate, moodOfRun, RunCard } from './settlement-run.tsx';

const STATUSES = ['created', 'sent', 'cancelled'].map((status) => [status, words(status)] as const);

const COLUMNS: readonly Column<SettlementRun>[] = [
  { name: 'Made', cell: ({ createdAt }) => <At at={createdAt} /> },
  {
    name: 'Run',
    cell: ({ runId, messageId }) => (
      <Link to="." search={((before: object) => ({ ...before, run: runId })) as never} className="mono">
        {messageId}
      </Link>
    ),
  },
  {
    name: 'Status',
    cell: (run) =>
      isTooLate(run) ? (
        <Status of="too late" mood="bad" />
      ) : (
        <Status of={run.status} mood={moodOfRun(run.status)} />
      ),
  },
  { name: 'Value date', cell: ({ valueDate }) => valueDate },
  { name: 'Payments', isNumber: true, cell: ({ paymentCount }) => paymentCount },
  {
    name: 'Total',
    isNumber: true,
    cell: ({ total, currency }) => <Money amount={total} currency={currency} />,
  },
  { name: 'Maker', cell: ({ createdBy }) => <Actor id={createdBy} /> },
];

/** What the house pays: what is due, the runs that pay it, and who made and who sent them. */
export function Payments() {
  const { search, set } = useFilters();
  useTitle('Payments');
  return (
    <>
      <div className="page-head">
        <h1>Payments</h1>
      </div>
      <div className="stack">
        <Due />
        {search.run !== undefined && (
          <RunCard key={search.run} runId={search.run} onClose={() => set({ run: undefined })} />
        )}
        <section aria-labelledby="runs">
          <h2 id="runs">Settlement runs</h2>
          <div className="filters">
            <Choice name="status" label="Status" options={STATUSES} />
          </div>
          <Listing
            name="List of settlement runs"
            filters={['status']}
            read={(query, cursor) => operator.listSettlementRuns({ ...query, cursor, limit: 50 } as never)}
            columns={COLUMNS}
            idOf={({ runId }) => runId}
            empty={
              <Empty title="No runs yet">
                <p>Enter a currency and a value date above to see what is due.</p>
              </Empty>
            }
          />
        </section>
      </div>
    </>
  );
}

function Due() {
  const { search } = useFilters();
  const { currency, valueDate } = search;
  const query = useQuery({
    queryKey: ['due', currency, valueDate],
    queryFn: () => operator.previewSettlementRun({ currency: currency ?? '', valueDate: valueDate ?? '' }),
    enabled: currency !== undefined && valueDate !== undefined,
    refetchInterval: 15_000,
  });
  return (
    <section className="card stack" aria-labelledby="due">
      <h2 id="due">What is due</h2>
      <div className="filters">
        <Entry name="currency" label="Currency" form={CURRENCY} read={readCurrency} />
        <Entry name="valueDate" label="Value date, such as 2026-03-02" form={DAY} />
      </div>
      {currency === undefined || valueDate === undefined ? (
        <p className="hint">Enter a currency and a value date.</p>
      ) : (
        <View query={query}>{(due) => <DueView due={due} />}</View>
      )}
    </section>
  );
}

function DueView({ due }: { readonly due: SettlementRunPreview }) {
  const { currency, paymentCount, total, payments, excluded } = due;
  return (
    <>
      <dl className="facts">
        <Fact name="Payments">{paymentCount}</Fact>
        <Fact name="Total">
          <Money amount={total} currency={currency} />
        </Fact>
        <Fact name="Goes out on">{due.executionDate}</Fact>
      </dl>
      {payments.length > 0 && (
        <Table
          label="Payments that are due"
          columns={payableColumns(currency)}
          items={payments}
          idOf={({ items }) =>
            items.map((item) => item.transactionId ?? item.withdrawalId ?? item.returnId).join()
          }
        />
      )}
      {excluded.length > 0 && (
        <Table
          label="Due but not payable"
          columns={excludedColumns(currency)}
          items={excluded}
          idOf={(item) => `${item.transactionId ?? item.withdrawalId ?? item.returnId} ${item.purpose}`}
        />
      )}
      <MakeRun of={due} />
    </>
  );
}

const payableColumns = (currency: string): readonly Column<SettlementRunPreview['payments'][number]>[] => [
  { name: 'Amount', isNumber: true, cell: ({ amount }) => <Money amount={amount} currency={currency} /> },
  { name: 'To', isText: true, cell: ({ payeeName }) => <Verbatim text={payeeName ?? '–'} /> },
  { name: 'Account', cell: ({ destinationMasked }) => destinationMasked },
  { name: 'Scheme', cell: ({ scheme }) => scheme },
];

const excludedColumns = (currency: string): readonly Column<SettlementRunPreview['excluded'][number]>[] => [
  { name: 'Amount', isNumber: true, cell: ({ amount }) => <Money amount={amount} currency={currency} /> },
  { name: 'Why it is left out', cell: ({ reason }) => <Status of={reason} mood="warn" /> },
  { name: 'To', cell: ({ destinationMasked }) => destinationMasked ?? '–' },
];

interface RunMeant {
  readonly currency: string;
  readonly valueDate: string;
  readonly previewDigest: string;
  readonly reason: string;
}

/** Puts what is due into a run, which somebody else may have to send. */
function MakeRun({ of }: { readonly of: SettlementRunPreview }) {
  const session = useSession();
  const { set } = useFilters();
  const [opened, open] = useOpened();
  const [reason, setReason, forget] = useDraft('run.make');
  const command = useCommand<RunMeant, SettlementRun>(
    'run.make',
    ({ reason: why, ...body }, options) =>
      operator.createSettlementRun(body, why === '' ? options : { ...options, reason: why }),
    ({ runId }) => {
      forget();
      set({ run: runId });
    },
  );
  return (
    <>
      {may(session, 'operator:payouts') && of.paymentCount > 0 && (
        <button type="button" className="button first" onClick={() => open('make-run')}>
          Make a run …
        </button>
      )}
      {opened === 'make-run' && (
        <RunDialog
          of={of}
          command={command}
          reason={reason}
          onReason={setReason}
          onClose={() => {
            open(undefined);
            command.reset();
          }}
        />
      )}
    </>
  );
}

/** The run pays what stands in it, or nothing: what comes meanwhile is shown once the service has refused the run for it. */
function RunDialog({
  of: now,
  command,
  reason,
  onReason,
  onClose,
}: {
  readonly of: SettlementRunPreview;
  readonly command: Command<RunMeant, SettlementRun>;
  readonly reason: string;
  readonly onReason: (reason: string) => void;
  readonly onClose: () => void;
}) {
  const [seen, see] = useState(now);
  const shown = command.state.at === 'changed' ? now : seen;
  return (
    <CommandDialog
      scope="operator:payouts"
      label="Make a settlement run"
      action="Make it"
      command={command}
      done="The run is made."
      meanwhile={
        <p>
          What is due has changed: <del>{sumOf(seen)}</del> → <ins>{sumOf(now)}</ins>.
        </p>
      }
      onSubmit={() => {
        see(shown);
        const { currency, valueDate, digest: previewDigest } = shown;
        command.send({ currency, valueDate, previewDigest, reason: reason.trim() });
      }}
      onClose={onClose}
    >
      <p>
        {sumOf(shown)}. You are its maker: where the four-eyes policy requires it, another person sends it.
      </p>
      <TextField label="Reason, for the approver" value={reason} onChange={onReason} />
    </CommandDialog>
  );
}

function sumOf({ paymentCount, total, currency, executionDate }: SettlementRunPreview) {
  return (
    <>
      {paymentCount === 1 ? 'One payment' : `${paymentCount} payments`},{' '}
      <Money amount={total} currency={currency} />, on {executionDate}
    </>
  );
}
