import { formatAmount, knownCurrency } from '@firmquote/fx';
import { isoInstant } from '../../platform/clock.ts';
import { tag, text } from './xml.ts';

/** A payment of the house that the bank does not make. */
export interface Rejection {
  /** Of the payment file that ordered it, and of the block in it; null without one. */
  readonly messageId: string | null;
  readonly paymentInformationId: string | null;
  readonly endToEndId: string;
  readonly uetr: string | null;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** ISO external status reason, such as AC04. */
  readonly reason: string;
}

/** What stands where there was no file. */
const NONE = 'NOTPROVIDED';

/**
 * A pain.002.001.10 that rejects payments. It tells of one payment file: all of them are of the same. Made of nothing but
 * what it is given.
 * @param fileId UUID
 */
export function statusReportXml(fileId: string, createdAt: number, rejections: readonly Rejection[]): string {
  const header = tag(
    'GrpHdr',
    text('MsgId', fileId.replaceAll('-', '')) + text('CreDtTm', isoInstant(createdAt)),
  );
  const original = tag(
    'OrgnlGrpInfAndSts',
    text('OrgnlMsgId', rejections[0]?.messageId ?? NONE) + text('OrgnlMsgNmId', 'pain.001.001.09'),
  );
  const blocks = [...Map.groupBy(rejections, (each) => each.paymentInformationId ?? NONE)].map(
    ([id, members]) =>
      tag('OrgnlPmtInfAndSts', `${text('OrgnlPmtInfId', id)}\n${members.map(statusOf).join('\n')}`),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>${header}\n${original}\n${blocks.join('\n')}\n</CstmrPmtStsRpt></Document>\n`;
}

function statusOf({ endToEndId, uetr, amountMinor, currency, reason }: Rejection): string {
  const amount = formatAmount(amountMinor, knownCurrency(currency));
  return tag(
    'TxInfAndSts',
    text('OrgnlInstrId', endToEndId) +
      text('OrgnlEndToEndId', endToEndId) +
      (uetr === null ? '' : text('OrgnlUETR', uetr)) +
      text('TxSts', 'RJCT') +
      tag('StsRsnInf', tag('Rsn', text('Cd', reason))) +
      tag('OrgnlTxRef', tag('Amt', `<InstdAmt Ccy="${currency}">${amount}</InstdAmt>`)),
  );
}
