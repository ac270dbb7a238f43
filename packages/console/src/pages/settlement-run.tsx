import type { SettlementRun, SettlementRunPayment } from '@firmquote/client/operator';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { may } from '../api/rights.ts';
import { noticeFailure, operator } from '../api/session.ts';
import { useRule } from '../approvals/use-policy.ts';
import { useSession } from '../frame/session-context.ts';
import { Actor } from '../parts/actor.tsx';
import { Outcome, useCommand } from '../parts/command.tsx';
import { useDraft, useOpened } from '../parts/draft.ts';
import { Fact } from '../parts/facts.tsx';
import { CommandDialog, TextField } from '../parts/form.tsx';
import { type Column, Listing } from '../parts/listing.tsx';
import { Empty, Failure, View } from '../parts/states.tsx';
import { At, Money, Status, Verbatim } from '../parts/text.tsx';

const MOODS = { created: 'warn', sent: 'ok', cancelled: 'idle' } as const;

export function moodOfRun(status: string) {
  return MOODS[status as keyof typeof MOODS] ?? 'idle';
}

/** Nobody has said that the bank has its file, and the date that the file names is over. */
export function isTooLate({ status, sendBefore }: SettlementRun): boolean {
  return status === 'created' && sendBefore === null;
}

/** One run: what it pays, who made and who sent it, and its payments. */
export function RunCard({ runId, onClose }: { readonly runId: string; readonly onClose: () => void }) {
  const query = useQuery({
    queryKey: ['run', runId],
    queryFn: () => operator.getSettlementRun(runId),
    refetchInterval: 10_000,
  });
  return (
    <section className="card desk" aria-label="Chosen run">
      <View query={query}>{(run) => <RunDetails of={run} />}</View>
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

function RunDetails({ of }: { readonly of: SettlementRun }) {
  const session = useSession();
  const queries = useQueryClient();
  const [opened, open] = useOpened();
  const act = ACTS.find((each) => opened === `run-${each}`);
  const [fault, setFault] = useState<unknown>();
  const ending = useEnding(of.runId);
  const isOwn = of.createdBy === session.personId;
  const mayPay = may(session, 'operator:payouts');
  const onDownload = (format: string) =>
    void download(of.runId, format).then((problem) => {
      setFault(problem);
      void queries.invalidateQueries({ queryKey: ['run', of.runId] });
    });
  return (
    <>
      <div className="page-head">
        <h2 className="mono">{of.messageId}</h2>
        <Status of={of.status} mood={moodOfRun(of.status)} />
      </div>
      <RunFacts of={of} isOwn={isOwn} />
      {mayPay && of.status === 'created' && isOwn && (
        <p className="hint">
          You made it. <SentBy />
        </p>
      )}
      {isTooLate(of) && <TooLate of={of} />}
      {fault !== undefined && <Failure error={fault} isAct />}
      <Outcome state={ending.command.state} done="It is recorded." />
      {mayPay && (
        <div className="actions">
          {of.files.map(({ format }) => (
            <button key={format} type="button" className="button" onClick={() => onDownload(format)}>
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
        <EndingDialog act={act} version={of.version} ending={ending} onClose={() => open(undefined)} />
      )}
    </>
  );
}

function TooLate({ of }: { readonly of: SettlementRun }) {
  return (
    <p className="callout warn">
      It can no longer be paid on {of.executionDate}.{' '}
      {of.downloads.length === 0
        ? 'Cancel it and make another run.'
        : 'If the bank has its file, mark it as sent; otherwise cancel it and make another run.'}
    </p>
  );
}

function RunFacts({ of, isOwn }: { readonly of: SettlementRun; readonly isOwn: boolean }) {
  return (
    <dl className="facts">
      <Fact name="Total">
        <Money amount={of.total} currency={of.currency} />
      </Fact>
      <Fact name="Payments">{of.paymentCount}</Fact>
      <Fact name="Goes out on">
        {of.executionDate}
        {of.sendBefore !== null && (
          <>
            , to the bank before <At at={of.sendBefore} />
          </>
        )}
      </Fact>
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

/** How a run ends, sent or cancelled, and why. */
function useEnding(runId: string) {
  const [reason, setReason, forget] = useDraft(`run.${runId}`);
  const command = useCommand<
    { readonly act: Act; readonly reason: string; readonly version: number },
    SettlementRun
  >(
    `run.${runId}`,
    async (intent, options) => {
      const given = { ...options, ifMatch: `"v${intent.version}"`, reason: intent.reason };
      return intent.act === 'sent'
        ? operator.markSettlementRunSent(runId, given)
        : operator.cancelSettlementRun(runId, { reason: intent.reason }, given);
    },
    forget,
  );
  return { command, reason, setReason };
}

function EndingDialog({
  act,
  version,
  ending: { command, reason, setReason },
  onClose,
}: {
  readonly act: Act;
  readonly version: number;
  readonly ending: ReturnType<typeof useEnding>;
  readonly onClose: () => void;
}) {
  return (
    <CommandDialog
      scope="operator:payouts"
      label={act === 'sent' ? 'Mark the run as sent' : 'Cancel the run'}
      action={act === 'sent' ? 'It is at the bank' : 'Cancel it'}
      command={command}
      isReady={reason.trim() !== ''}
      done={act === 'sent' ? 'It is marked as sent.' : 'It is cancelled; its payments are due again.'}
      onSubmit={() => command.send({ act, reason: reason.trim(), version })}
      onClose={() => {
        onClose();
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
