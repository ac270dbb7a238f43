import type { ReconciliationExceptionDetail } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useRef } from 'react';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { Action, versionTag } from '../parts/action.tsx';
import { CommandAction } from '../parts/command-action.tsx';
import { CustomerName } from '../parts/customer-name.tsx';
import { Fact } from '../parts/facts.tsx';
import { View } from '../parts/states.tsx';
import { At, Status, Verbatim, words } from '../parts/text.tsx';
import { Timeline } from '../parts/timeline.tsx';
import { useTitle } from '../parts/title.ts';
import { Way } from '../parts/way.tsx';
import { commandAt, type PermittedCommand } from './exception-commands.ts';
import { ExceptionEntry } from './exception-entry.tsx';

type Detail = ReconciliationExceptionDetail;

/** One thing that needs a person: what it is about, what can be done about it now, and who has done what. */
export function ExceptionPage() {
  const { exceptionId } = useParams({ from: '/exceptions/$exceptionId' as never }) as { exceptionId: string };
  useTitle('Exception');
  const query = useQuery({
    queryKey: ['exception', exceptionId],
    queryFn: () => operator.getException(exceptionId),
    refetchInterval: 10_000,
  });
  return (
    <View query={query}>
      {(of) => (
        <>
          <div className="page-head">
            <h1>{words(of.type)}</h1>
            <Status of={of.status} mood={of.status === 'open' ? 'warn' : 'ok'} />
            <span className="mono dim">{of.exceptionId}</span>
          </div>
          <p>
            <Verbatim text={words(of.reason)} />
          </p>
          <div className="grid" style={{ marginTop: 16 }}>
            <About of={of} />
            <PermittedActions of={of} />
            {of.entryId !== null && <ExceptionEntry entryId={of.entryId} />}
            <History of={of} />
          </div>
        </>
      )}
    </View>
  );
}

function About({ of }: { readonly of: Detail }) {
  const { failure } = of;
  return (
    <section className="card">
      <h2>About</h2>
      <dl className="facts">
        <Fact name="Opened">
          <At at={of.openedAt} full />
        </Fact>
        {of.resolvedAt !== null && (
          <Fact name="Closed">
            <At at={of.resolvedAt} full />, {words(of.resolution ?? '').toLowerCase()}
          </Fact>
        )}
        <Fact name="Assigned to">{of.assignee === null ? 'Nobody' : <Verbatim text={of.assignee} />}</Fact>
        <Subjects of={of} />
        {failure !== null && (
          <Fact name="Not applied">
            <Verbatim text={failure.detail ?? failure.reason} />
            <span className="hint">
              {' '}
              Tried {failure.attempts === 1 ? 'once' : `${failure.attempts} times`}; next at{' '}
              <At at={failure.nextAt} />
            </span>
          </Fact>
        )}
      </dl>
    </section>
  );
}

/** What it is about, each by its id. */
function Subjects({ of }: { readonly of: Detail }) {
  const { depositId, transactionId, customerId, report } = of;
  return (
    <>
      {depositId !== null && (
        <Fact name="Deposit">
          <Way to="/deposits" search={{ deposit: depositId }} className="mono">
            {depositId}
          </Way>
        </Fact>
      )}
      {transactionId !== null && (
        <Fact name="Transaction">
          <Way to="/transactions/$transactionId" params={{ transactionId }} className="mono">
            {transactionId}
          </Way>
        </Fact>
      )}
      {customerId !== null && (
        <Fact name="Customer">
          <CustomerName id={customerId} />
        </Fact>
      )}
      <Withdrawal id={of.withdrawalId} customerId={customerId} />
      <Named name="Return" id={of.returnId} />
      <Named name="Statement entry" id={of.entryId} />
      <Named name="Log row" id={of.logFault} />
      {report !== null && (
        <Fact name="Report">
          for {report.slot}, of{' '}
          <Way to="/reports" search={{ tab: 'schedules', schedule: report.scheduleId }} className="mono">
            {report.scheduleId}
          </Way>
        </Fact>
      )}
    </>
  );
}

/** It stands on the page of its customer. */
function Withdrawal({ id, customerId }: { readonly id: string | null; readonly customerId: string | null }) {
  if (customerId === null) return <Named name="Withdrawal" id={id} />;
  if (id === null) return null;
  return (
    <Fact name="Withdrawal">
      <Way to="/customers/$customerId" params={{ customerId }} search={{ tab: 'balances' }} className="mono">
        {id}
      </Way>
    </Fact>
  );
}

function Named({ name, id }: { readonly name: string; readonly id: string | null }) {
  if (id === null) return null;
  return (
    <Fact name={name}>
      <span className="mono">{id}</span>
    </Fact>
  );
}

/** A form for each command that the service permits now. One that is open stays when its command is given, and says what became of it. */
function ExceptionCommands({ of }: { readonly of: Detail }) {
  const seen = useRef(new Map<string, PermittedCommand>());
  const now = new Set<string>();
  for (const each of of.orders) {
    const found = commandAt(each);
    if (found === undefined) continue;
    seen.current.set(found.name, found);
    now.add(found.name);
  }
  return [...seen.current].map(([name, { command, order, ids }]) => (
    <CommandAction
      key={name}
      name={name}
      command={command}
      subject={{ of, order }}
      ids={ids}
      isPossible={now.has(name)}
    />
  ));
}

/** What the service says can be done now. What is done with a deposit is done at its desk. */
function PermittedActions({ of }: { readonly of: Detail }) {
  const session = useSession();
  const version = versionTag(of.version);
  const can = new Set(of.orders.map(({ order }) => order));
  const isAtTheDesk = of.depositId !== null && of.orders.some(({ path }) => path.includes('/deposits/'));
  return (
    <section className="card">
      <h2>What can be done</h2>
      <p className="hint">
        {of.orders.length === 0
          ? 'It is closed. Nothing is left to do.'
          : of.orders.map(({ order }) => words(order)).join(' · ')}
      </p>
      <div className="actions">
        {isAtTheDesk && (
          <Way className="button first" instead={null} to="/deposits" search={{ deposit: of.depositId }}>
            Open the deposit
          </Way>
        )}
        <ExceptionCommands of={of} />
        <Action
          isOver={!can.has('retry')}
          name="retry"
          label="Try again"
          scope="operator:deposits"
          version={version}
          send={(_, options) => operator.retryException(of.exceptionId, {}, options)}
          done="It is tried again."
        />
        <Action
          isOver={!can.has('assign')}
          name="assign"
          label="Assign"
          scope="operator:deposits"
          version={version}
          asks={[{ name: 'assignee', label: 'Person or team', initial: session.name, isOptional: true }]}
          send={({ assignee }, options) =>
            operator.assignException(of.exceptionId, { assignee: assignee?.trim() || null }, options)
          }
          done="It is assigned."
        />
        <Resolve of={of} version={version} isOver={!can.has('resolve')} />
      </div>
    </section>
  );
}

function Resolve({
  of,
  version,
  isOver,
}: {
  readonly of: Detail;
  readonly version: string;
  readonly isOver: boolean;
}) {
  return (
    <Action
      isOver={isOver}
      name="resolve"
      label="Close"
      title="Close the exception"
      scope="operator:deposits"
      version={version}
      asks={[
        {
          name: 'resolution',
          label: 'How it ended',
          options: [
            ['acknowledged', 'Nothing left to do'],
            ['settled_outside', 'Settled elsewhere'],
          ],
        },
        { name: 'note', label: 'What you found, kept with it', rows: 2 },
      ]}
      send={({ resolution, note }, options) =>
        operator.resolveException(
          of.exceptionId,
          {
            resolution: resolution === 'settled_outside' ? 'settled_outside' : 'acknowledged',
            note: note?.trim() ?? '',
          },
          options,
        )
      }
      done="It is closed."
    >
      <p>Closing moves no money.</p>
    </Action>
  );
}

function History({ of: { history } }: { readonly of: Detail }) {
  return (
    <section className="card">
      <h2>History</h2>
      {history.length === 0 && <p className="hint">Nobody has worked on it yet.</p>}
      <Timeline
        isNow
        steps={history.map(({ version, at, actor, action, reason }) => ({
          id: `${version} ${at}`,
          what: action,
          by: actor,
          at,
          reason,
        }))}
      />
    </section>
  );
}
