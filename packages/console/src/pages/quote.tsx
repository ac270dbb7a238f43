import type { OperatorQuote } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { operator } from '../api/session.ts';
import { pairText } from '../money/amount.ts';
import { Actor } from '../parts/actor.tsx';
import { CustomerName } from '../parts/customer-name.tsx';
import { Fact } from '../parts/facts.tsx';
import { View } from '../parts/states.tsx';
import { At, Money, Status, Verbatim } from '../parts/text.tsx';
import { useTitle } from '../parts/title.ts';
import { Way } from '../parts/way.tsx';
import { Evidence } from './evidence.tsx';

export function QuotePage() {
  const { quoteId } = useParams({ from: '/quotes/$quoteId' as never }) as { quoteId: string };
  useTitle('Quote');
  const quote = useQuery({
    queryKey: ['quote', quoteId],
    queryFn: () => operator.getAnyQuote(quoteId),
    refetchInterval: ({ state }) => (state.data?.status === 'open' ? 2_000 : false),
  });
  const explained = useQuery({
    queryKey: ['explained', quoteId],
    queryFn: () => operator.explainAnyQuote(quoteId),
    staleTime: 60_000,
  });
  return (
    <View query={quote}>
      {(of) => (
        <>
          <div className="page-head">
            <h1>Quote</h1>
            <Status of={of.status} />
            <span className="mono dim">{of.quoteId}</span>
          </div>
          <p className="legs">
            <Money amount={of.sellAmount} currency={of.sellCurrency} /> <span>for</span>{' '}
            <Money amount={of.buyAmount} currency={of.buyCurrency} />
          </p>
          <div className="grid" style={{ marginTop: 16 }}>
            <Terms of={of} />
            <View query={explained}>{(explanation) => <Evidence of={explanation} />}</View>
          </div>
        </>
      )}
    </View>
  );
}

function Terms({ of }: { readonly of: OperatorQuote }) {
  return (
    <section className="card">
      <h2>Terms</h2>
      <dl className="facts">
        <Fact name="Pair">{pairText(of.rate.pair)}</Fact>
        <Fact name="Rate">{of.rate.value}</Fact>
        <Fact name="Value date">{of.settlement.valueDate}</Fact>
        <Fact name="Created">
          <At at={of.createdAt} full />
        </Fact>
        <Fact name="Firm until">
          <At at={of.expiresAt} full />
        </Fact>
        {of.transactionId !== null && (
          <Fact name="Transaction">
            <Way
              to="/transactions/$transactionId"
              params={{ transactionId: of.transactionId }}
              className="mono"
            >
              {of.transactionId}
            </Way>
          </Fact>
        )}
        <Fact name="Customer">
          <CustomerName id={of.customerId} />
        </Fact>
        <Fact name="Requested by">
          <Actor id={of.requestedBy} withId />
        </Fact>
        {of.clientReference !== null && (
          <Fact name="Client reference">
            <Verbatim text={of.clientReference} />
          </Fact>
        )}
      </dl>
    </section>
  );
}
