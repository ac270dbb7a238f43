import assert from 'node:assert/strict';
import type { Answer } from './service.ts';

interface Terms {
  [name: string]: string | Terms;
}

/** What is there of the account to pay to. */
function accountOf(instructions: Answer['body']): Terms {
  const names = ['accountHolder', 'accountNumber', 'bankName', 'bic', 'iban', 'reference', 'routingNumber'];
  return Object.fromEntries(
    names.flatMap((name) => (instructions[name] == null ? [] : [[name, instructions[name]]])),
  );
}

/** Rebuilt here, apart from the service and from the documented program. */
export const rebuilt = {
  quote: ({ type, quoteId, sellCurrency, buyCurrency, ...q }: Answer['body']): Terms => ({
    buyAmount: q.buyAmount,
    buyCurrency,
    createdAt: q.createdAt,
    expiresAt: q.expiresAt,
    fixedSide: q.fixedSide,
    quoteId,
    rate: { pair: q.rate.pair, side: q.rate.side, value: q.rate.value },
    sellAmount: q.sellAmount,
    sellCurrency,
    settlement: { valueDate: q.settlement.valueDate },
    type,
  }),
  transaction: ({ transactionId, quoteId, reference, ...t }: Answer['body']): Terms => ({
    buyAmount: t.buyAmount,
    buyCurrency: t.buyCurrency,
    createdAt: t.createdAt,
    fixedSide: t.fixedSide,
    funding: { instructions: accountOf(t.funding.instructions), mode: t.funding.mode },
    payout: {
      amount: t.payout.amount,
      currency: t.payout.currency,
      destinationId: t.payout.destinationId,
      destinationMasked: t.payout.destinationMasked,
    },
    quoteId,
    rate: { pair: t.rate.pair, side: t.rate.side, value: t.rate.value },
    reference,
    sellAmount: t.sellAmount,
    sellCurrency: t.sellCurrency,
    settlement: { originalValueDate: t.settlement.originalValueDate },
    transactionId,
  }),
};
export type Kind = keyof typeof rebuilt;

/** The signature that an answer brings. */
export function signatureOf(answer: Answer): string {
  assert.equal(answer.headers.get('Preference-Applied'), 'signature');
  return answer.headers.get('JWS-Signature') ?? '';
}
