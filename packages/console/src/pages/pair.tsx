import type { AcceptedPrice, PairSettings } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { may, mayRead } from '../api/rights.ts';
import { operator } from '../api/session.ts';
import { useSession } from '../frame/session-context.ts';
import { pairText } from '../money/amount.ts';
import { ACCEPT_PRICE, resumePair, suspendPair } from '../pairs/commands.ts';
import { PairHistory } from '../pairs/history.tsx';
import { PairPrice } from '../pairs/price.tsx';
import { changeOf, linesOfVersion } from '../pairs/settings.ts';
import { PairSwapPoints } from '../pairs/swap-points.tsx';
import { Actor } from '../parts/actor.tsx';
import { CommandAction } from '../parts/command-action.tsx';
import { useEdits, useIsShown } from '../parts/edits.ts';
import { type Column, Listing } from '../parts/listing.tsx';
import { SendChange } from '../parts/send-change.tsx';
import type { SettingEdits } from '../parts/setting-rows.ts';
import { SettingsTable } from '../parts/settings-table.tsx';
import { Empty, View } from '../parts/states.tsx';
import { At, Status, Verbatim } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { Versions } from '../parts/versions.tsx';

interface Read {
  readonly settings: PairSettings;
  readonly tag: string;
}

/** How one pair is treated, what its sources say, and what people have said that it is worth. */
export function PairPage() {
  const { pair } = useParams({ from: '/health/$pair' as never }) as { pair: string };
  useTitle(pairText(pair));
  const session = useSession();
  const [seesPrices, seesPoints] = [mayRead(session, 'listPrices'), mayRead(session, 'getSwapPoints')];
  const seesBars = mayRead(session, 'listBars');
  const query = useQuery({
    queryKey: ['pair', pair],
    queryFn: async (): Promise<Read> => {
      const { data, etag } = await operator.getPairSettings(pair).withResponse();
      return { settings: data, tag: etag ?? '' };
    },
    refetchInterval: 15_000,
  });
  return (
    <View query={query}>
      {({ settings, tag }) => (
        <div className="stack">
          <div className="page-head">
            <h1>{pairText(pair)}</h1>
            {!settings.enabled && <Status of="suspended" mood="warn" />}
            <Suspension of={settings} tag={tag} />
            <CommandAction
              name="accept"
              command={ACCEPT_PRICE}
              subject={undefined}
              ids={[pair]}
              isPossible
              title={`Accept a price of ${pairText(pair)}`}
            />
          </div>
          {seesPrices && <PairPrice pair={pair} />}
          {seesBars && <PairHistory pair={pair} />}
          {seesPoints && <PairSwapPoints pair={pair} />}
          <Settings key={pair} settings={settings} tag={tag} />
          <Accepted pair={pair} />
        </div>
      )}
    </View>
  );
}

function Suspension({ of, tag }: { readonly of: PairSettings; readonly tag: string }) {
  const shared = { subject: undefined, ids: [of.pair], version: tag };
  const name = pairText(of.pair);
  return (
    <>
      <CommandAction
        {...shared}
        name="suspend"
        command={suspendPair(of)}
        isPossible={of.enabled}
        title={`Suspend ${name}`}
      />
      <CommandAction
        {...shared}
        name="resume"
        command={resumePair(of)}
        isPossible={!of.enabled}
        title={`Resume ${name}`}
      />
    </>
  );
}

function Settings({ settings, tag }: Read) {
  const mayChange = may(useSession(), 'operator:market');
  const { pair, changedAt, changedBy } = settings;
  const [edits, edit] = useEdits<SettingEdits>(`pair.${pair}`, {});
  const change = changeOf(settings, edits);
  const isShown = useIsShown(change.lines.length + change.wrong.length > 0, 'settings');
  return (
    <section className="stack" aria-labelledby="settings">
      <h2 id="settings" className="apart">
        Settings
      </h2>
      <p className="hint">
        {changedAt === null ? (
          'Nobody has set them: these are the defaults.'
        ) : (
          <>
            Set by <Actor id={changedBy ?? ''} />, <At at={changedAt} />.
          </>
        )}
      </p>
      <SettingsTable
        label={`Settings of ${pairText(pair)}`}
        rows={change.rows}
        edits={edits}
        edit={mayChange ? edit : undefined}
      />
      {isShown && (
        <SendChange
          name="settings"
          scope="operator:market"
          why="pricing"
          change={change}
          version={tag}
          send={(document, options) => operator.setPairSettings(pair, document, options)}
          done="The new settings are in force."
          onDrop={() => edit({})}
        />
      )}
      <Versions<PairSettings>
        name={pair}
        label={`Settings of ${pairText(pair)}`}
        list={(query) => operator.listPairSettingsVersions(pair, query)}
        linesOf={linesOfVersion}
      />
    </section>
  );
}

function Accepted({ pair }: { readonly pair: string }) {
  return (
    <section aria-labelledby="accepted">
      <h2 id="accepted" className="apart">
        Accepted prices
      </h2>
      <Listing
        name="Accepted prices"
        about={pair}
        filters={[]}
        read={(_, cursor) => operator.listAcceptedPrices(pair, { cursor, limit: 20 })}
        columns={ACCEPTED}
        idOf={({ number }) => `${number}`}
        empty={
          <Empty title="No price has been accepted by hand">
            <p>That is done where the market has moved so far that its prices are refused.</p>
          </Empty>
        }
      />
    </section>
  );
}

const ACCEPTED: readonly Column<AcceptedPrice>[] = [
  { name: 'At', cell: ({ acceptedAt }) => <At at={acceptedAt} /> },
  { name: 'Price', isNumber: true, cell: ({ price }) => price },
  { name: 'Last good before', isNumber: true, cell: ({ previousPrice }) => previousPrice ?? '–' },
  { name: 'Reason', isText: true, cell: ({ reason }) => <Verbatim text={reason} /> },
  { name: 'By', cell: ({ acceptedBy }) => <Actor id={acceptedBy} /> },
];
