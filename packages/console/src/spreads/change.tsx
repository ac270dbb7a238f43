import type { SpreadPreview, SpreadRule, SpreadRuleDraft } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { operator } from '../api/session.ts';
import { readPair } from '../money/codes.ts';
import { Action } from '../parts/action.tsx';
import { type ChangeLine, Lines, YourChange } from '../parts/change.tsx';
import { CustomerChoice } from '../parts/customer-choice.tsx';
import { Fact } from '../parts/facts.tsx';
import { Entry, useFilters } from '../parts/listing.tsx';
import { View } from '../parts/states.tsx';
import { At, counted } from '../parts/text.tsx';
import { Way } from '../parts/way.tsx';
import { PAIR } from '../parts/written-forms.ts';
import { aboutOf, changedRules, type Edits, warningsOf } from './rules.ts';
import { useTwoSteps } from './two-steps.ts';

/** The rules in force, and the next ones where somebody has stored them. */
export interface SpreadsRead {
  readonly version: number;
  readonly rules: readonly SpreadRule[];
  readonly draft: SpreadRuleDraft;
  readonly draftTag: string;
}

interface ChangeProps {
  readonly read: SpreadsRead;
  readonly edits: Edits;
  readonly lines: readonly ChangeLine[];
  readonly onDrop: () => void;
}

/** How lines of spreads are told. */
export const OF_RULES = { none: 'no rule', unit: 'bps' } as const;

/** What would be sent, and what it does to a price that is there now. */
export function Change({
  read,
  edits,
  lines,
  isWrong,
  onDrop,
}: ChangeProps & {
  readonly isWrong: boolean;
}) {
  return (
    <YourChange send={!isWrong && <SendChange {...{ read, edits, lines, onDrop }} />} onDrop={onDrop}>
      <Lines lines={lines} {...OF_RULES} />
      {warningsOf(lines).map((warning) => (
        <p key={warning} className="wrong">
          {warning}
        </p>
      ))}
      {isWrong ? (
        <p className="wrong">A spread is invalid: enter basis points, such as 12 or 7.50.</p>
      ) : (
        <Example rules={changedRules(read.rules, edits)} about={aboutOf(read.rules, edits)} />
      )}
    </YourChange>
  );
}

/** Stores the rules as the next ones and activates them; whoever sends warnings has reviewed them. */
function SendChange({ read, edits, lines, onDrop }: ChangeProps) {
  const warnings = warningsOf(lines);
  const inTwoSteps = useTwoSteps();
  return (
    <Action
      name="send"
      label="Send change"
      isFirst
      scope="operator:spreads"
      why="pricing"
      asks={
        warnings.length === 0
          ? []
          : [
              {
                name: 'acknowledged',
                label: counted(warnings.length, 'warning'),
                options: [
                  ['', 'Not reviewed yet'],
                  ['yes', warnings.length === 1 ? 'I have reviewed it' : 'I have reviewed them'],
                ],
              },
            ]
      }
      version={read.draftTag}
      send={(_, { reason, ifMatch = read.draftTag }) => {
        const rules = changedRules(read.rules, edits);
        return inTwoSteps(JSON.stringify(rules), ifMatch, reason, (tag) =>
          operator.setSpreadRuleDraft({ rules }, { ifMatch: tag }).withResponse(),
        );
      }}
      onDone={onDrop}
      done="The new spreads apply to new quotes."
    >
      <Lines lines={lines} {...OF_RULES} />
    </Action>
  );
}

/** A set that the service keeps: somebody has sent it, and it waits to take effect. */
export function Stored({ read }: { readonly read: SpreadsRead }) {
  const { draft } = read;
  return (
    <section className="callout warn">
      <h2>A change is stored and has not taken effect</h2>
      <p>
        {draft.rules?.length ?? 0} rules
        {draft.restores === null ? '' : `, those of version ${draft.restores}`}, based on version{' '}
        {draft.basedOn}
        {draft.basedOn === read.version ? '' : `; the current version is ${read.version}`}
        {draft.changedAt !== null && (
          <>
            , stored <At at={draft.changedAt} />
          </>
        )}
        .
      </p>
      <div className="actions">
        <Way className="button" to="/approvals" instead={null} search={{ status: 'pending' }}>
          Find its approval
        </Way>
        <Action
          name="activate"
          label="Activate"
          scope="operator:spreads"
          why="pricing"
          version={read.draftTag}
          send={(_, { reason, ifMatch }) =>
            operator.activateSpreadRuleDraft({}, { ifMatch: ifMatch ?? '', reason })
          }
          done="The new spreads apply to new quotes."
        />
        <Action
          name="discard"
          label="Discard"
          title="Discard the stored change"
          scope="operator:spreads"
          version={read.draftTag}
          send={(_, { ifMatch }) => operator.discardSpreadRuleDraft({ ifMatch: ifMatch ?? '' })}
          done="It is discarded."
        />
      </div>
    </section>
  );
}

/** A customer's price by the rules of now and by those of the change, on the market as it is. */
function Example({
  rules,
  about,
}: {
  readonly rules: ReturnType<typeof changedRules>;
  readonly about: ReturnType<typeof aboutOf>;
}) {
  const { search } = useFilters();
  const pair = search.pair ?? about.pair ?? 'EURUSD';
  const customer = search.customer ?? about.customerId ?? '';
  const body = {
    sellCurrency: pair.slice(0, 3),
    buyCurrency: pair.slice(3),
    fixedSide: 'sell' as const,
    amount: '100000.00',
    ...(customer === '' ? {} : { customerId: customer }),
    rules,
  };
  const query = useQuery({
    queryKey: ['spread-example', body],
    queryFn: () => operator.previewSpreadRules(body),
    refetchInterval: 5_000,
    // What stands below it stays where it is: a press on its way there would miss.
    placeholderData: (before) => before,
  });
  return (
    <div className="stack">
      <div className="filters">
        <Entry name="pair" label="Example: pair" form={PAIR} read={readPair} />
        <CustomerChoice name="customer" all={about.customerId === null ? 'Anybody' : 'Of the change'} />
      </div>
      <View query={query}>{(preview) => <Prices of={preview} sold={body.sellCurrency} />}</View>
    </div>
  );
}

function Prices({
  of: { market, live, draft },
  sold,
}: {
  readonly of: SpreadPreview;
  readonly sold: string;
}) {
  const side = (of: typeof draft) =>
    of === null
      ? '–'
      : of.rate === null
        ? (of.detail ?? of.outcome)
        : `${of.rate.value} (${of.pricing?.spreadBps ?? '–'} bps)`;
  return (
    <dl className="facts">
      <Fact name="Market">
        {market.bid} / {market.ask}
      </Fact>
      <Fact name={`Sells 100,000 ${sold}, now`}>{side(live)}</Fact>
      <Fact name="With the change">
        <b>{side(draft)}</b>
      </Fact>
    </dl>
  );
}
