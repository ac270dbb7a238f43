import type { OperatorTransaction, UnwindQuote } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { may } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { versionTag } from '../parts/action.tsx';
import { CommandAction } from '../parts/command-action.tsx';
import { useOpened } from '../parts/draft.ts';
import { Fact } from '../parts/facts.tsx';
import { View } from '../parts/states.tsx';
import { Money, words } from '../parts/text.tsx';
import { RELEASE_HOLD, tradeCommands } from './trade-commands.ts';

/** What people do about a trade, each with a form, for those who may. One that is open stays when its command is given, and says what became of it. */
export function TradeActions({ of }: { readonly of: OperatorTransaction }) {
  const session = useSession();
  const [opened] = useOpened();
  const commands = tradeCommands(of);
  const mayAct = commands.some(({ command }) => may(session, command.scope));
  if (!mayAct && opened === undefined) return null;
  const isOver = of.holds.length === 0 && commands.every(({ isPossible }) => !isPossible);
  return (
    <section className="card">
      <h2>What can be done</h2>
      {isOver && <p className="hint">Nothing is left to do.</p>}
      <div className="actions">
        {commands.map(({ name, command, isPossible }) => (
          <CommandAction
            key={name}
            name={name}
            command={command}
            subject={of}
            ids={[of.transactionId]}
            isPossible={isPossible}
            version={versionTag(of.version)}
          >
            {name === 'unwind' && <UnwindPreview of={of} closeOutAt="trade" />}
            {name === 'close-out' && <UnwindPreview of={of} closeOutAt="market" />}
          </CommandAction>
        ))}
        <Holds of={of} />
      </div>
    </section>
  );
}

function Holds({ of }: { readonly of: OperatorTransaction }) {
  const seen = useRef(new Map<string, string>());
  for (const { holdId, kind } of of.holds) seen.current.set(holdId, kind);
  return [...seen.current].map(([holdId, kind]) => (
    <CommandAction
      key={holdId}
      name={`release-${holdId}`}
      command={RELEASE_HOLD}
      subject={of}
      ids={[of.transactionId, holdId]}
      isPossible={of.holds.some((each) => each.holdId === holdId)}
      version={versionTag(of.version)}
      label={`${RELEASE_HOLD.label}: ${words(kind)}`}
    />
  ));
}

/** What would be booked now: the market goes on until it is sent. */
function UnwindPreview({
  of: { transactionId, version },
  closeOutAt,
}: {
  readonly of: OperatorTransaction;
  readonly closeOutAt: 'market' | 'trade';
}) {
  const query = useQuery({
    queryKey: ['unwinding', transactionId, version, closeOutAt],
    queryFn: () => operator.quoteUnwinding(transactionId, { closeOutAt }),
    refetchInterval: closeOutAt === 'market' ? 5_000 : false,
  });
  return <View query={query}>{(quote) => <UnwindFacts of={quote} />}</View>;
}

function UnwindFacts({ of: { closeOut, refund, received, needs } }: { readonly of: UnwindQuote }) {
  return (
    <dl className="facts">
      {closeOut !== null && (
        <>
          <Fact name="Rate now">{closeOut.rate}</Fact>
          <Fact name={closeOut.result === 'none' ? 'Result' : words(closeOut.result)}>
            <Money amount={closeOut.amount} currency={closeOut.currency} />
          </Fact>
          <Fact name="Of which the customer bears, by the settings">
            <Money amount={closeOut.charged} currency={closeOut.currency} />
          </Fact>
        </>
      )}
      <Fact name="Received">{received}</Fact>
      <Fact name="Goes back to the customer">
        {refund === null ? 'Nothing' : <Money amount={refund.amount} currency={refund.currency} />}
      </Fact>
      {needs !== null && <Fact name="Needs">{words(needs)}</Fact>}
    </dl>
  );
}
