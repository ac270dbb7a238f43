import type { Approval } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { operator } from '../api/session.ts';
import { Effects, Subject } from '../approvals/effects.tsx';
import { type EffectsNow, effectsNowOf, Outdated, ReadNow } from '../approvals/outdated.tsx';
import { Policy } from '../approvals/policy.tsx';
import { Actor } from '../parts/actor.tsx';
import { Outcome, useCommand } from '../parts/command.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useDraft } from '../parts/draft.ts';
import { Choice, type Column, Listing, useFilters } from '../parts/listing.tsx';
import { type Secret, Secrets, secretsOfApproval } from '../parts/secrets.tsx';
import { Empty, View } from '../parts/states.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { At, Status, Verbatim, words } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';

const STATUSES = ['pending', 'approved', 'rejected', 'withdrawn', 'expired'].map(
  (status) => [status, words(status)] as const,
);

/** What one person proposed and another decides, and what takes two. */
export function Approvals() {
  useTitle('Approvals');
  return (
    <>
      <div className="page-head">
        <h1>Approvals</h1>
      </div>
      <Tabs
        tabs={[
          { name: 'proposals', text: 'Proposals', show: () => <Proposals /> },
          { name: 'policy', text: 'Rules', show: () => <Policy /> },
        ]}
      />
    </>
  );
}

function Proposals() {
  const { search, set } = useFilters();
  const columns: readonly Column<Approval>[] = [
    { name: 'Proposed', cell: ({ proposedAt }) => <At at={proposedAt} /> },
    {
      name: 'What',
      cell: ({ kind, approvalId }) => (
        <button type="button" className="plain" onClick={() => set({ approval: approvalId })}>
          {words(kind)}
        </button>
      ),
    },
    { name: 'About', cell: ({ subject }) => <Subject id={subject} /> },
    { name: 'Reason', isText: true, cell: ({ reason }) => <Verbatim text={reason} /> },
    {
      name: 'By',
      cell: ({ proposedBy, proposedByPerson }) => <Actor id={proposedByPerson ?? proposedBy} />,
    },
    { name: 'Status', cell: ({ status }) => <Status of={status} /> },
  ];
  return (
    <>
      <div className="filters">
        <Choice name="status" label="Status" options={STATUSES} />
      </div>
      <Listing
        name="Approvals"
        filters={['status']}
        read={(query, cursor) => operator.listApprovals({ ...query, cursor, limit: 50 } as never)}
        columns={columns}
        idOf={({ approvalId }) => approvalId}
        empty={
          <Empty title="No proposals">
            <p>Commands that need a second person wait here.</p>
          </Empty>
        }
      />
      {search.approval !== undefined && (
        <Decision
          key={search.approval}
          approvalId={search.approval}
          onClose={() => set({ approval: undefined })}
        />
      )}
    </>
  );
}

function Decision({ approvalId, onClose }: { readonly approvalId: string; readonly onClose: () => void }) {
  const query = useQuery({
    queryKey: ['approval', approvalId],
    queryFn: () => operator.getApproval(approvalId),
  });
  const [secrets, show] = useState<readonly Secret[]>([]);
  const [isStored, store] = useState(false);
  const verdict = useVerdict(approvalId, (shown) => (shown.length === 0 ? onClose() : show(shown)));
  const { isBusy } = verdict.command;
  if (secrets.length > 0)
    return (
      <Dialog label="Approved" isHeld={!isStored} onClose={onClose}>
        <div>
          <h2>Approved</h2>
          <p>Give this to the one it is for. Whoever proposed it cannot see it.</p>
          <Secrets secrets={secrets} isStored={isStored} onStored={store} />
          <div className="actions">
            <button type="button" className="button" disabled={!isStored} onClick={onClose}>
              Close
            </button>
          </div>
        </div>
      </Dialog>
    );
  return (
    <Dialog label="Proposal" isHeld={isBusy} onClose={onClose}>
      <div>
        <View query={query}>
          {(approval) => <Proposal approval={approval} verdict={verdict} onClose={onClose} />}
        </View>
        {query.data === undefined && (
          <button type="button" className="button" onClick={onClose}>
            Close
          </button>
        )}
      </div>
    </Dialog>
  );
}

function Proposal({
  approval,
  verdict: { command, note, setNote, now, isRead, read },
  onClose,
}: {
  readonly approval: Approval;
  readonly verdict: ReturnType<typeof useVerdict>;
  readonly onClose: () => void;
}) {
  const { mayApprove = false, mayReject = false, whyNot = null } = approval.deciding ?? {};
  const { state, isBusy } = command;
  const seen = approval.status === 'pending' ? now : undefined;
  const isTold = seen !== undefined && state.at === 'refused' && effectsNowOf(state.error) !== undefined;
  const mayGive = seen === undefined || isRead;
  const effectsDigest = seen?.effectsDigest ?? approval.effectsDigest;
  const give = (isApproved: boolean) => command.send({ isApproved, note: note.trim(), effectsDigest });
  return (
    <>
      <Proposed of={approval} />
      {seen !== undefined && <Outdated />}
      <Effects of={approval} now={seen?.effects} />
      {seen !== undefined && mayApprove && <ReadNow isRead={isRead} onRead={read} />}
      {mayReject && (
        <div className="field">
          <label htmlFor="note">Note, kept with the decision</label>
          <textarea id="note" rows={2} value={note} onChange={({ target }) => setNote(target.value)} />
        </div>
      )}
      {!isTold && <Outcome state={state} done="It is decided." />}
      <div className="actions">
        {mayApprove && (
          <button
            type="button"
            className="button first"
            aria-disabled={isBusy || !mayGive}
            onClick={() => mayGive && give(true)}
          >
            {seen === undefined ? 'Approve' : 'Approve as it is now'}
          </button>
        )}
        {mayReject && (
          <button type="button" className="button" aria-disabled={isBusy} onClick={() => give(false)}>
            {whyNot === 'own' ? 'Withdraw' : 'Reject'}
          </button>
        )}
        <button type="button" className="button" aria-disabled={isBusy} onClick={() => !isBusy && onClose()}>
          Close
        </button>
      </div>
      <WhyNot of={approval} />
    </>
  );
}

interface Verdict {
  readonly isApproved: boolean;
  readonly note: string;
  /** Of the effects that whoever approves them has seen. */
  readonly effectsDigest: string | null;
}

/** What is said of a proposal, and said once. A note that could not be sent stands there again. */
function useVerdict(approvalId: string, onDecided: (secrets: readonly Secret[]) => void) {
  const [note, setNote, forget] = useDraft(`note.${approvalId}`);
  const [now, setNow] = useState<EffectsNow>();
  const [isRead, read] = useState(false);
  const command = useCommand<Verdict, { readonly decided: Approval }>(
    `approval.${approvalId}`,
    async ({ isApproved, note: written, effectsDigest }, { idempotencyKey }) => {
      const body = written === '' ? {} : { note: written };
      if (!isApproved)
        return { decided: await operator.rejectApproval(approvalId, body, { idempotencyKey }) };
      const seen = effectsDigest === null ? body : { ...body, effectsDigest };
      try {
        return { decided: await operator.approve(approvalId, seen, { idempotencyKey }) };
      } catch (error) {
        const others = effectsNowOf(error);
        if (others !== undefined) {
          setNow(others);
          read(false);
        }
        throw error;
      }
    },
    ({ decided }) => {
      forget();
      onDecided(secretsOfApproval(decided));
    },
  );
  return { command, note, setNote, now, isRead, read };
}

/** What is proposed, why, by whom, and who has decided it. */
function Proposed({ of }: { readonly of: Approval }) {
  return (
    <>
      <h2>{words(of.kind)}</h2>
      <p>
        <Status of={of.status} /> <Subject id={of.subject} />
      </p>
      <p>
        <Verbatim text={of.reason} />
      </p>
      {of.why.length > 0 && <p className="hint">{of.why.join(' ')}</p>}
      <p className="hint">
        Proposed by <Actor id={of.proposedByPerson ?? of.proposedBy} withId />
        {of.decidedBy !== null && (
          <>
            , decided by <Actor id={of.decidedByPerson ?? of.decidedBy} withId />
          </>
        )}
      </p>
    </>
  );
}

const WHY_NOT: Readonly<Record<string, string>> = {
  own: 'You proposed this. Someone else must decide.',
  maker: 'You made what this sends out. Someone else must decide.',
  outdated: 'Whoever proposed this no longer has the right to. Reject it.',
};

/** Why whoever reads it sees no button to approve it. */
function WhyNot({ of: { deciding } }: { readonly of: Approval }) {
  if (deciding?.whyNot === 'insufficient_scope')
    return (
      <p className="hint">
        You need the right {deciding.requiredScope} to decide, and none of your roles has it.
      </p>
    );
  const text = WHY_NOT[deciding?.whyNot ?? ''];
  return text === undefined ? null : <p className="hint">{text}</p>;
}
