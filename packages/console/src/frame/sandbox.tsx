import { FirmquoteSandbox } from '@firmquote/client/sandbox';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { business, operator } from '../api/session.ts';
import { decimalsOf, parseAmount } from '../money/amount.ts';
import { Dialog } from '../parts/dialog.tsx';
import { AmountField, TextField } from '../parts/form.tsx';
import { Failure, View } from '../parts/states.tsx';
import { At, words } from '../parts/text.tsx';

const sandbox = new FirmquoteSandbox(operator);
const HOUR_S = 3_600;
const EVENTS = ['deposit', 'settle', 'payout-failed', 'payout-returned'] as const;

interface Act {
  readonly work: () => PromiseLike<unknown>;
  /** What is said once it is done. */
  readonly done: string;
}

interface Controls {
  readonly isBusy: boolean;
  readonly run: (work: Act['work'], done: string) => void;
}

async function readWorld() {
  const [clock, market, bank] = await Promise.all([
    sandbox.getSandboxClock(),
    sandbox.getSandboxMarket(),
    sandbox.getSandboxBank(),
  ]);
  return { clock, market, bank };
}

type World = Awaited<ReturnType<typeof readWorld>>;

/** The simulated world: its clock, market and bank. Production has none of it. */
export function SandboxDrawer({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const world = useQuery({ queryKey: ['sandbox'], queryFn: readWorld });
  const act = useMutation({
    mutationFn: async ({ work }: Act) => {
      await work();
    },
    // What the page shows is read again; the next thing need not wait for that.
    onSuccess: () => void queries.invalidateQueries(),
  });
  // A button keeps the focus while it is at work; a second press does nothing.
  const run = (work: Act['work'], done: string) => !act.isPending && act.mutate({ work, done });
  const controls: Controls = { isBusy: act.isPending, run };
  return (
    <Dialog label="Sandbox" className="sandbox" onClose={onClose}>
      <div>
        <div className="page-head">
          <h2>The simulated world</h2>
          <button type="button" className="button" onClick={onClose}>
            Close
          </button>
        </div>
        {act.error !== null && <Failure error={act.error} isAct />}
        <p role="status" className="hint">
          {act.isSuccess && act.variables.done}
        </p>
        <View query={world}>
          {({ clock, market, bank }) => (
            <>
              <ClockControls of={clock} controls={controls} />
              <MarketControls of={market} controls={controls} />
              <BankControls of={bank} controls={controls} />
            </>
          )}
        </View>
        <Drill run={(id, event) => run(() => sandbox.triggerSandboxEvent(id, event), 'It is triggered.')} />
        <Payment
          isBusy={act.isPending}
          pay={(payment) => run(() => sandbox.receiveSandboxDeposit(payment), 'The payment has arrived.')}
        />
      </div>
    </Dialog>
  );
}

function ControlButton({
  name,
  work,
  done,
  controls: { isBusy, run },
}: Act & { readonly name: string; readonly controls: Controls }) {
  return (
    <button type="button" className="button" aria-disabled={isBusy} onClick={() => run(work, done)}>
      {name}
    </button>
  );
}

function ClockControls({ of, controls }: { readonly of: World['clock']; readonly controls: Controls }) {
  const shared = { controls, done: 'The clock has moved.' };
  return (
    <>
      <h3>Clock</h3>
      <p>
        <At at={of.now} />
        {of.offsetMs === 0 ? ', the real time' : ', moved'}
      </p>
      <div className="actions">
        <ControlButton {...shared} name="+1 hour" work={() => moveClock({ advanceSeconds: HOUR_S })} />
        <ControlButton {...shared} name="+1 day" work={() => moveClock({ advanceSeconds: 24 * HOUR_S })} />
        <ControlButton {...shared} name="Back to real time" work={() => moveClock({ real: true })} />
      </div>
    </>
  );
}

function MarketControls({ of, controls }: { readonly of: World['market']; readonly controls: Controls }) {
  return (
    <>
      <h3>Market</h3>
      <p>{words(of.state)}</p>
      <div className="actions">
        {(['open', 'closed', 'calendar'] as const).map((state) => (
          <span key={state}>
            <ControlButton
              name={state === 'calendar' ? 'Follow the calendar' : `Keep it ${state}`}
              work={() => sandbox.controlSandboxMarket({ state })}
              done="The market is updated."
              controls={controls}
            />
          </span>
        ))}
      </div>
    </>
  );
}

function BankControls({ of, controls }: { readonly of: World['bank']; readonly controls: Controls }) {
  const shared = { controls, done: 'The bank is updated.' };
  return (
    <>
      <h3>Bank</h3>
      <p>
        Money for a trade {of.autoDeposit ? 'arrives by itself' : 'waits for you'}; settlement:{' '}
        {words(of.settlement).toLowerCase()}
      </p>
      <div className="actions">
        <ControlButton
          {...shared}
          name={of.autoDeposit ? 'Hold deposits' : 'Let deposits arrive'}
          work={() => sandbox.setSandboxBank({ autoDeposit: !of.autoDeposit })}
        />
        {(['fast', 'calendar', 'runs'] as const)
          .filter((each) => each !== of.settlement)
          .map((settlement) => (
            <span key={settlement}>
              <ControlButton
                {...shared}
                name={`Settle: ${settlement}`}
                work={() => sandbox.setSandboxBank({ settlement })}
              />
            </span>
          ))}
        <ControlButton
          name="End the day"
          work={() => sandbox.endSandboxBankDay()}
          done="The bank day has ended."
          controls={controls}
        />
      </div>
    </>
  );
}

/** The page that moves it goes by it at once. */
async function moveClock(by: Parameters<FirmquoteSandbox['moveSandboxClock']>[0]): Promise<void> {
  const { offsetMs } = await sandbox.moveSandboxClock(by);
  business.move(offsetMs);
}

type PaymentIn = Parameters<FirmquoteSandbox['receiveSandboxDeposit']>[0];

/** Money that somebody pays in, whatever it says it is for. */
function Payment({ isBusy, pay }: { readonly isBusy: boolean; readonly pay: (payment: PaymentIn) => void }) {
  const [amount, setAmount] = useState('');
  const [currency, setCurrency] = useState('EUR');
  const [reference, setReference] = useState('');
  const [remitterName, setRemitter] = useState('');
  const parsed = parseAmount(amount, decimalsOf(currency));
  const isReady = parsed.ok && reference.trim() !== '';
  return (
    <form
      onSubmit={(submitted) => {
        submitted.preventDefault();
        if (!isReady || isBusy) return;
        const from = remitterName.trim() === '' ? {} : { remitterName: remitterName.trim() };
        pay({ amount: parsed.amount, currency, reference: reference.trim(), ...from });
      }}
    >
      <h3>Payment</h3>
      <div className="filters">
        <AmountField
          label="Amount"
          currency={currency}
          decimals={decimalsOf(currency)}
          value={amount}
          onChange={setAmount}
        />
        <TextField
          label="Currency"
          value={currency}
          onChange={(text) => setCurrency(text.toUpperCase().slice(0, 3))}
        />
        <TextField label="Text" value={reference} onChange={setReference} />
        <TextField label="From (optional)" value={remitterName} onChange={setRemitter} />
        <button type="submit" className="button" disabled={!isReady} aria-disabled={isBusy}>
          Send payment
        </button>
      </div>
    </form>
  );
}

/** Something that happens to a transaction. */
function Drill({ run }: { readonly run: (transactionId: string, event: string) => void }) {
  const [event, choose] = useState<string>('deposit');
  const [chosen, pick] = useState('');
  const { data } = useQuery({
    queryKey: ['sandbox', 'transactions'],
    queryFn: async () => (await operator.listAllTransactions({ limit: 20 })).items,
  });
  const transactionId = chosen === '' ? (data?.[0]?.transactionId ?? '') : chosen;
  return (
    <form
      onSubmit={(submitted) => {
        submitted.preventDefault();
        if (transactionId !== '') run(transactionId, event);
      }}
    >
      <h3>Drill</h3>
      <div className="filters">
        <div className="field">
          <label htmlFor="drill-transaction">Transaction</label>
          <select id="drill-transaction" value={transactionId} onChange={({ target }) => pick(target.value)}>
            {data?.map(({ transactionId: id, reference, status }) => (
              <option key={id} value={id}>
                {reference}, {words(status)}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="drill-event">Event</label>
          <select id="drill-event" value={event} onChange={({ target }) => choose(target.value)}>
            {EVENTS.map((each) => (
              <option key={each} value={each}>
                {words(each.replace('-', ' '))}
              </option>
            ))}
          </select>
        </div>
        <button type="submit" className="button" disabled={transactionId === ''}>
          Trigger event
        </button>
      </div>
    </form>
  );
}
