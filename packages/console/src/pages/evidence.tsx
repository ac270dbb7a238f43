import type { OperatorQuoteExplanation } from '@firmquote/client/operator';
import { formatAmount } from '../money/amount.ts';
import { Fact } from '../parts/facts.tsx';
import { At, counted, Status, words } from '../parts/text.tsx';

/** How a price was derived, from the market's price to the last rounding, and whether it comes out the same again. */
export function Evidence({ of }: { readonly of: OperatorQuoteExplanation }) {
  const { market, numbers, spread, steps, verification } = of;
  return (
    <section className="card">
      <h2>How the price was made</h2>
      <dl className="facts">
        <Fact name="Market">
          {market.bid} / {market.ask} {market.source !== null && `from ${market.source}`}
        </Fact>
        <Fact name="As of">
          <At at={market.asOf} full />
        </Fact>
        <Fact name="Mid">{numbers.mid ?? ''}</Fact>
        {spread?.components?.map(({ type, bps }) => (
          <Fact key={type} name={words(type)}>
            {bps} bps
          </Fact>
        ))}
        {spread !== undefined && <Fact name="Total spread">{spread.totalBps} bps</Fact>}
        <Fact name="Client rate">
          <b>{numbers.rate ?? ''}</b>
        </Fact>
        {numbers.markup !== undefined && <Fact name="Markup">{formatAmount(numbers.markup)}</Fact>}
        <Fact name="Recalculated">
          <Status of={verification.outcome} mood={verification.outcome === 'matches' ? 'ok' : 'bad'} />
        </Fact>
      </dl>
      <details style={{ marginTop: 12 }}>
        <summary>{counted(steps.length, 'rounding')}, step by step</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by the keyboard */}
        <section className="effects" aria-label="Roundings" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Step</th>
                <th scope="col">Formula</th>
                <th scope="col">Before rounding</th>
                <th scope="col">Rounding</th>
              </tr>
            </thead>
            <tbody>
              {steps.map(({ step, formula, unrounded, rounding }) => (
                <tr key={step}>
                  <td>{words(step)}</td>
                  <td className="mono">{formula}</td>
                  <td className="number">{unrounded}</td>
                  <td>{words(rounding)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </section>
  );
}
