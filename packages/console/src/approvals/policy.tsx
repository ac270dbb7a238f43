import type {
  FourEyesPolicy,
  FourEyesPolicyDocument,
  FourEyesPolicyVersion,
} from '@firmquote/client/operator';
import { useState } from 'react';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { parseLimit } from '../money/amount.ts';
import { Action } from '../parts/action.tsx';
import { CellField } from '../parts/cell-field.tsx';
import { Lines, YourChange } from '../parts/change.tsx';
import { Fact } from '../parts/facts.tsx';
import { type Column, Table } from '../parts/listing.tsx';
import { View } from '../parts/states.tsx';
import { Versions } from '../parts/versions.tsx';
import { check } from '../parts/written-forms.ts';
import {
  editedRule,
  KINDS_WITH_AMOUNT,
  kindInWords,
  linesOfVersion,
  needsInWords,
  type PolicyRule,
  policyChanges,
  type RuleEdit,
  type RuleEdits,
  rollingInWords,
  waitInWords,
} from './policy-words.ts';
import { usePolicy } from './use-policy.ts';

interface PolicyRead {
  readonly policy: FourEyesPolicy;
  readonly tag: string;
}

/** What takes two persons, in words, and a change of it, which takes two itself. */
export function Policy() {
  const query = usePolicy();
  return (
    <div className="stack">
      <p className="hint">
        A command that needs two persons is proposed by one and approved by another. To approve it you need
        the right to run it and operator:approvals. Nobody approves their own.
      </p>
      <View query={query}>{(read) => <Rules key={read.policy.version} read={read} />}</View>
      <Versions<FourEyesPolicyVersion>
        name="policy"
        label="Rules for two persons"
        list={(query) => operator.listFourEyesPolicyVersions(query)}
        linesOf={linesOfVersion}
      />
    </div>
  );
}

function Rules({ read }: { readonly read: PolicyRead }) {
  const mayChange = may(useSession(), 'operator:roles');
  const [edits, edit] = useState<RuleEdits>({});
  const { rules, rollingHours, accountWaitHours, fixed } = read.policy;
  return (
    <>
      <Table
        label="Commands that may need two persons"
        items={rules}
        idOf={({ kind }) => kind}
        columns={mayChange ? [...RULES, editing(edits, edit)] : RULES}
      />
      <PolicyChange read={read} edits={edits} onDrop={() => edit({})} />
      <h2>Two persons, whatever the rules say</h2>
      <ul>
        {fixed.map((kind) => (
          <li key={kind}>{kindInWords(kind)}</li>
        ))}
      </ul>
      <h2>Hours</h2>
      <dl className="facts">
        <Fact name="Amounts of one person, or for one customer, add up">{rollingInWords(rollingHours)}</Fact>
        <Fact name="A new account waits before it can be used">{waitInWords(accountWaitHours)}</Fact>
      </dl>
      <div className="actions">
        <Hours read={read} />
      </div>
    </>
  );
}

const RULES: readonly Column<PolicyRule>[] = [
  { name: 'To do this', isText: true, cell: ({ kind }) => kindInWords(kind) },
  { name: 'Two persons', cell: needsInWords },
];

function editing(edits: RuleEdits, edit: (edits: RuleEdits) => void): Column<PolicyRule> {
  return {
    name: 'New',
    cell: (rule) => (
      <NewRule
        rule={rule}
        edit={edits[rule.kind] ?? { needs: rule.needs, fromUsd: rule.fromUsd ?? '' }}
        onChange={(changed) => edit({ ...edits, [rule.kind]: changed })}
      />
    ),
  };
}

function NewRule({
  rule: { kind },
  edit,
  onChange,
}: {
  readonly rule: PolicyRule;
  readonly edit: RuleEdit;
  readonly onChange: (edit: RuleEdit) => void;
}) {
  const what = kindInWords(kind);
  return (
    <span className="actions">
      <select
        className="needs"
        aria-label={`Two persons to: ${what}`}
        value={edit.needs}
        onChange={({ target }) => onChange({ ...edit, needs: target.value })}
      >
        <option value="never">Never</option>
        <option value="always">Always</option>
        {KINDS_WITH_AMOUNT.has(kind) && <option value="amount">Above an amount</option>}
      </select>
      {edit.needs === 'amount' && (
        <CellField
          label={`Threshold in USD: ${what}`}
          value={edit.fromUsd}
          isWrong={!parseLimit(edit.fromUsd, 2).ok}
          onChange={(fromUsd) => onChange({ ...edit, fromUsd })}
        />
      )}
    </span>
  );
}

function PolicyChange({
  read: { policy, tag },
  edits,
  onDrop,
}: {
  readonly read: PolicyRead;
  readonly edits: RuleEdits;
  readonly onDrop: () => void;
}) {
  const changes = policyChanges(policy.rules, edits);
  const edited = policy.rules.flatMap((rule) => editedRule(rule, edits[rule.kind]) ?? []);
  if (changes.length === 0) return null;
  const lines = (
    <Lines
      lines={changes.map(({ kind, before, after }) => ({
        what: kindInWords(kind),
        before,
        after: after ?? 'an invalid amount',
      }))}
    />
  );
  const send = edited.length === policy.rules.length && (
    <Action
      name="policy"
      label="Propose the change"
      isFirst
      scope="operator:roles"
      why="required"
      version={tag}
      send={(_, { reason, ifMatch }) => setPolicy(policy, { rules: edited }, reason, ifMatch)}
      done="The rules are set."
    >
      {lines}
    </Action>
  );
  return (
    <YourChange send={send} onDrop={onDrop}>
      {lines}
    </YourChange>
  );
}

function Hours({ read: { policy, tag } }: { readonly read: PolicyRead }) {
  const isHours = check(/^(?:[0-6]?\d{1,2}|7[0-3]\d|74[0-4])$/, 'Enter whole hours, at most 744.');
  return (
    <Action
      name="policy-hours"
      label="Change the hours"
      action="Propose the change"
      scope="operator:roles"
      why="required"
      version={tag}
      asks={[
        {
          name: 'rolling',
          label: 'Hours over which amounts add up',
          hint: '0: each amount counts on its own',
          initial: String(policy.rollingHours),
          check: isHours,
        },
        {
          name: 'wait',
          label: 'Hours that a new account waits',
          hint: '0: it can be used at once',
          initial: String(policy.accountWaitHours),
          check: isHours,
        },
      ]}
      send={({ rolling, wait }, { reason, ifMatch }) =>
        setPolicy(policy, { rollingHours: Number(rolling), accountWaitHours: Number(wait) }, reason, ifMatch)
      }
      done="The hours are set."
    />
  );
}

function setPolicy(
  { rules, rollingHours, accountWaitHours }: FourEyesPolicy,
  changed: Partial<Pick<FourEyesPolicy, 'rules' | 'rollingHours' | 'accountWaitHours'>>,
  reason: string | undefined,
  ifMatch: string | undefined,
) {
  // What was read goes back as it came.
  const document = { rules, rollingHours, accountWaitHours, ...changed } as FourEyesPolicyDocument;
  return operator.setFourEyesPolicy(document, { reason, ifMatch: ifMatch ?? '' });
}
