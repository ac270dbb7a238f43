import type { Approval } from '@firmquote/client/operator';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { noticeFailure, operator } from '../api/session.ts';
import { Effects, Subject } from '../approvals/effects.tsx';
import { Policy } from '../approvals/policy.tsx';
import { Actor } from '../parts/actor.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useKeptPlace } from '../parts/draft.ts';
import { Choice, type Column, Listing, useFilters } from '../parts/listing.tsx';
import { type Secret, Secrets, secretsOfApproval } from '../parts/secrets.tsx';
import { Empty, Failure, View } from '../parts/states.tsx';
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
        <Decision approvalId={search.approval} onClose={() => set({ approval: undefined })} />
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
  const decided = (shown: readonly Secret[]) => (shown.length === 0 ? onClose() : show(shown));
  if (secrets.length > 0)
    return (
      <Dialog label="Approved" onClose={() => isStored && onClose()}>
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
    <Dialog label="Proposal" onClose={onClose}>
      <div>
        <View query={query}>
          {(approval) => <Proposal approval={approval} onDecided={decided} onClose={onClose} />}
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

type Verdict = 'approve' | 'reject';

function Proposal({
  approval,
  onDecided,
  onClose,
}: {
  readonly approval: Approval;
  readonly onDecided: (secrets: readonly Secret[]) => void;
  readonly onClose: () => void;
}) {
  const { note, setNote, error, isPending, give } = useVerdict(approval, onDecided);
  const { mayApprove = false, mayReject = false, whyNot = null } = approval.deciding ?? {};
  return (
    <>
      <Proposed of={approval} />
      <Effects of={approval} />
      {mayReject && (
        <div className="field">
          <label htmlFor="note">Note, kept with the decision</label>
          <textarea id="note" rows={2} value={note} onChange={({ target }) => setNote(target.value)} />
        </div>
      )}
      {error !== null && <Failure error={error} isAct />}
      <div className="actions">
        {mayApprove && (
          <button
            type="button"
            className="button first"
            aria-disabled={isPending}
            onClick={() => give('approve')}
          >
            Approve
          </button>
        )}
        {mayReject && (
          <button type="button" className="button" aria-disabled={isPending} onClick={() => give('reject')}>
            {whyNot === 'own' ? 'Withdraw' : 'Reject'}
          </button>
        )}
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
      <WhyNot of={approval} />
    </>
  );
}

/** What is said of a proposal, and said once. A note that could not be sent stands there again. */
function useVerdict(approval: Approval, onDecided: (secrets: readonly Secret[]) => void) {
  const queries = useQueryClient();
  const place = useKeptPlace(`note.${approval.approvalId}`);
  const [note, setNote] = useState(() => sessionStorage.getItem(place) ?? '');
  // One key for each verdict: pressed twice, it is given once.
  const keys = useRef({ approve: crypto.randomUUID(), reject: crypto.randomUUID() });
  const decide = useMutation({
    mutationFn: async (verdict: Verdict) => {
      const body = note.trim() === '' ? {} : { note: note.trim() };
      const options = { idempotencyKey: keys.current[verdict] };
      if (verdict === 'reject') return operator.rejectApproval(approval.approvalId, body, options);
      const { effectsDigest } = approval;
      return operator.approve(
        approval.approvalId,
        { ...body, ...(effectsDigest === null ? {} : { effectsDigest }) },
        options,
      );
    },
    onError: (error) => {
      sessionStorage.setItem(place, note);
      noticeFailure(error);
      void queries.invalidateQueries({ queryKey: ['approval', approval.approvalId] });
    },
    onSuccess: async (decided) => {
      sessionStorage.removeItem(place);
      onDecided(secretsOfApproval(decided));
      await queries.invalidateQueries();
    },
  });
  const { error, isPending } = decide;
  return {
    ...{ note, setNote, error, isPending },
    /** The button keeps the focus while it is sent; a second press does nothing. */
    give: (verdict: Verdict) => !isPending && decide.mutate(verdict),
  };
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
