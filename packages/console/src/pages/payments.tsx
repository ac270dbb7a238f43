import type { SettlementRun, SettlementRunPayment, SettlementRunPreview } from '@firmquote/client/operator';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { may, noticeFailure, operator } from '../api/session.ts';
import { useRule } from '../approvals/use-policy.ts';
import { useSession } from '../frame/session-context.ts';
import { readCurrency } from '../money/codes.ts';
import { Actor } from '../parts/actor.tsx';
import { Outcome, useCommand } from '../parts/command.tsx';
import { useDraft, useOpened } from '../parts/draft.ts';
import { Fact } from '../parts/facts.tsx';
import { CommandDialog, TextField } from '../parts/form.tsx';
import { Choice, type Column, Entry, Listing, Table, useFilters } from '../parts/listing.tsx';
import { Empty, Failure, View } from '../parts/states.tsx';
import { At, Money, Status, Verbatim, words } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';

const STATUSES = ['created', 'sent', 'cancelled'].map((status) => [status, words(status)] as const);
const MOODS = { created: 'warn', sent: 'ok', cancelled: 'idle' } as const;
const moodOf = (status: string) => MOODS[status as keyof typeof MOODS] ?? 'idle';

const COLUMNS: readonly Column<SettlementRun>[] = [
  { name: 'Made', cell: ({ createdAt }) => <At at={createdAt} /> },
  {
    name: 'Run',
    cell: ({ runId, messageId }) => (
      <Link to="/payments" search={{ run: runId } as never} className="mono">
        {messageId}
      </Link>
    ),
  },
  { name: 'Status', cell: ({ status }) => <Status of={status} mood={moodOf(status)} /> },
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
        <Entry name="currency" label="Currency" form={/^[A-Z]{3}$/} read={readCurrency} />
        <Entry name="valueDate" label="Value date, such as 2026-03-02" form={/^\d{4}-\d{2}-\d{2}$/} />
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
  const session = useSession();
  const { set } = useFilters();
  const [opened, open] = useOpened();
  const [reason, setReason, forget] = useDraft('run.make');
  const command = useCommand<
    { readonly currency: string; readonly valueDate: string; readonly reason: string },
    SettlementRun
  >(
    ({ reason: why, ...body }, options) =>
      operator.createSettlementRun(body, why === '' ? options : { ...options, reason: why }),
    ({ runId }) => {
      forget();
      set({ run: runId });
    },
  );
  const { currency, valueDate, paymentCount, total, payments, excluded } = due;
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
          columns={[
            {
              name: 'Amount',
              isNumber: true,
              cell: ({ amount }) => <Money amount={amount} currency={currency} />,
            },
            { name: 'To', isText: true, cell: ({ payeeName }) => <Verbatim text={payeeName ?? '–'} /> },
            { name: 'Account', cell: ({ destinationMasked }) => destinationMasked },
            { name: 'Scheme', cell: ({ scheme }) => scheme },
          ]}
          items={payments}
          idOf={({ items }) =>
            items.map((item) => item.transactionId ?? item.withdrawalId ?? item.returnId).join()
          }
        />
      )}
      {excluded.length > 0 && (
        <Table
          label="Due but not payable"
          columns={[
            {
              name: 'Amount',
              isNumber: true,
              cell: ({ amount }) => <Money amount={amount} currency={currency} />,
            },
            { name: 'Why it is left out', cell: ({ reason: why }) => <Status of={why} mood="warn" /> },
            { name: 'To', cell: ({ destinationMasked }) => destinationMasked ?? '–' },
          ]}
          items={excluded}
          idOf={(item) => `${item.transactionId ?? item.withdrawalId ?? item.returnId} ${item.purpose}`}
        />
      )}
      {may(session, 'operator:payouts') && paymentCount > 0 && (
        <button type="button" className="button first" onClick={() => open('make-run')}>
          Make a run …
        </button>
      )}
      {opened === 'make-run' && (
        <CommandDialog
          scope="operator:payouts"
          label="Make a settlement run"
          action="Make it"
          command={command}
          done="The run is made."
          onSubmit={() => command.send({ currency, valueDate, reason: reason.trim() })}
          onClose={() => {
            open(undefined);
            command.reset();
          }}
        >
          <p>
            {paymentCount === 1 ? 'One payment' : `${paymentCount} payments`},{' '}
            <Money amount={total} currency={currency} />. You are its maker: where the four-eyes policy
            requires it, another person sends it.
          </p>
          <TextField label="Reason, for the approver" value={reason} onChange={setReason} />
        </CommandDialog>
      )}
    </>
  );
}

/** What the policy says of who takes the file out, to its maker. */
function SentBy() {
  const rule = useRule('payment_file_out');
  if (rule === undefined) return 'Another person may have to send it.';
  return rule.needs === 'never'
    ? 'You may send it yourself: no second person is needed.'
    : 'Another person takes its file to the bank and marks it as sent.';
}

function RunCard({ runId, onClose }: { readonly runId: string; readonly onClose: () => void }) {
  const query = useQuery({
    queryKey: ['run', runId],
    queryFn: () => operator.getSettlementRun(runId),
    refetchInterval: 10_000,
  });
  return (
    <section className="card desk" aria-label="Chosen run">
      <View query={query}>{(run) => <Run of={run} />}</View>
      <div className="actions">
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
      <Listing
        name={`Payments of ${runId}`}
        filters={[]}
        read={(_, cursor) => operator.listSettlementRunPayments(runId, { cursor, limit: 50 })}
        columns={paymentColumns(query.data?.status === 'created')}
        idOf={({ endToEndId }) => endToEndId}
        empty={
          <Empty title="No payments">
            <p>The run has none.</p>
          </Empty>
        }
      />
    </section>
  );
}

const ACTS = ['sent', 'cancel'] as const;
type Act = (typeof ACTS)[number];

function Run({ of }: { readonly of: SettlementRun }) {
  const session = useSession();
  const queries = useQueryClient();
  const [opened, open] = useOpened();
  const act = ACTS.find((each) => opened === `run-${each}`);
  const [fault, setFault] = useState<unknown>();
  const [reason, setReason, forget] = useDraft(`run.${of.runId}`);
  const command = useCommand<
    { readonly act: Act; readonly reason: string; readonly version: number },
    SettlementRun
  >(async (intent, options) => {
    const given = { ...options, ifMatch: `"v${intent.version}"`, reason: intent.reason };
    return intent.act === 'sent'
      ? operator.markSettlementRunSent(of.runId, given)
      : operator.cancelSettlementRun(of.runId, { reason: intent.reason }, given);
  }, forget);
  const isOwn = of.createdBy === session.personId;
  const mayPay = may(session, 'operator:payouts');
  return (
    <>
      <div className="page-head">
        <h2 className="mono">{of.messageId}</h2>
        <Status of={of.status} mood={moodOf(of.status)} />
      </div>
      <dl className="facts">
        <Fact name="Total">
          <Money amount={of.total} currency={of.currency} />
        </Fact>
        <Fact name="Payments">{of.paymentCount}</Fact>
        <Fact name="Maker">
          <Actor id={of.createdBy} withId />
          {isOwn && ', you'}
        </Fact>
        <Fact name="Checker">
          {of.endedBy === null ? 'Nobody yet' : <Actor id={of.endedBy} withId />}
          {of.endedBy !== null && of.endedBy === of.createdBy && ', also its maker'}
        </Fact>
        {of.downloads.map(({ format, by, count, lastAt }) => (
          <Fact key={`${format} ${by}`} name={`Downloaded as ${format}`}>
            <Actor id={by} />, {count === 1 ? 'once' : `${count} times`}, last <At at={lastAt} />
          </Fact>
        ))}
        {of.files.map(({ format, sha256 }) => (
          <Fact key={format} name={`SHA-256, ${format}`}>
            <span className="mono">{sha256}</span>
          </Fact>
        ))}
      </dl>
      {mayPay && of.status === 'created' && isOwn && (
        <p className="hint">
          You made it. <SentBy />
        </p>
      )}
      {fault !== undefined && <Failure error={fault} isAct />}
      <Outcome state={command.state} done="It is recorded." />
      {mayPay && (
        <div className="actions">
          {of.files.map(({ format }) => (
            <button
              key={format}
              type="button"
              className="button"
              onClick={() =>
                void download(of.runId, format).then((problem) => {
                  setFault(problem);
                  void queries.invalidateQueries({ queryKey: ['run', of.runId] });
                })
              }
            >
              Download {format}
            </button>
          ))}
          {of.status === 'created' && (
            <>
              <button type="button" className="button" onClick={() => open('run-sent')}>
                Mark as sent …
              </button>
              <button type="button" className="button" onClick={() => open('run-cancel')}>
                Cancel the run …
              </button>
            </>
          )}
        </div>
      )}
      {act !== undefined && (
        <CommandDialog
          scope="operator:payouts"
          label={act === 'sent' ? 'Mark the run as sent' : 'Cancel the run'}
          action={act === 'sent' ? 'It is at the bank' : 'Cancel it'}
          command={command}
          isReady={reason.trim() !== ''}
          done={act === 'sent' ? 'It is marked as sent.' : 'It is cancelled; its payments are due again.'}
          onSubmit={() => command.send({ act, reason: reason.trim(), version: of.version })}
          onClose={() => {
            open(undefined);
            command.reset();
          }}
        >
          <p>
            {act === 'sent'
              ? 'Do this once the bank has the file. Its payments then count as sent.'
              : 'Its payments become due again. Cancel it at the bank first, if the file is there.'}
          </p>
          <TextField label="Reason" value={reason} onChange={setReason} />
        </CommandDialog>
      )}
    </>
  );
}

/** Answers what went wrong. A maker who may not have the file is told so in the service's words. */
async function download(runId: string, format: string): Promise<unknown> {
  try {
    const file = await operator.downloadSettlementRunFile(runId, format);
    const bytes = await file.bytes();
    const address = URL.createObjectURL(new Blob([bytes as BlobPart], { type: file.contentType }));
    const link = document.createElement('a');
    link.href = address;
    link.download = file.fileName ?? `${runId}.${format}`;
    link.click();
    URL.revokeObjectURL(address);
    return undefined;
  } catch (error) {
    noticeFailure(error);
    return error;
  }
}

/** @param isUnsent nobody has said yet that the bank has the file */
const paymentColumns = (isUnsent: boolean): readonly Column<SettlementRunPayment>[] => [
  {
    name: 'Amount',
    isNumber: true,
    cell: ({ amount, currency }) => <Money amount={amount} currency={currency} />,
  },
  { name: 'To', isText: true, cell: ({ payeeName }) => <Verbatim text={payeeName ?? '–'} /> },
  { name: 'Account', cell: ({ destinationMasked }) => destinationMasked },
  {
    name: 'State',
    cell: ({ items }) =>
      [...new Set(items.map(({ state }) => state))].map((state) => (
        <Status
          key={state}
          of={isUnsent && state === 'sent' ? 'in the run' : state}
          mood={state === 'paid' ? 'ok' : state === 'sent' ? 'idle' : 'bad'}
        />
      )),
  },
  {
    name: 'The bank says',
    isText: true,
    cell: ({ bankStatus }) =>
      bankStatus === null ? (
        'Nothing yet'
      ) : (
        <>
          {bankStatus.code} {bankStatus.reason !== null && <Verbatim text={bankStatus.reason} />}
        </>
      ),
  },
  { name: 'End-to-end id', cell: ({ endToEndId }) => <span className="mono">{endToEndId}</span> },
];
