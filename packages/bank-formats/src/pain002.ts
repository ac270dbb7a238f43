import { amountOf, currencyOf, isForeignCurrency } from './amount.ts';
import { StatementRefusal, shown } from './refusal.ts';
import type { Emit, MessageHeader, PaymentStatus, StatementReader } from './statement.ts';
import { cut, nameOf, referenceOf, remittanceOf } from './text.ts';
import {
  all,
  amountXml,
  at,
  documentXml,
  optional,
  tag,
  text,
  textAt,
  type XmlHandler,
  type XmlNode,
  XmlTrees,
} from './xml.ts';

/** Any version from the third on, which have kept the names of what is read here. */
const NAMESPACE = /^urn:iso:std:iso:20022:tech:xsd:pain\.002\.001\.(0[3-9]|[1-9]\d)$/;
const BODY = 'CstmrPmtStsRpt';
const BLOCK = 'OrgnlPmtInfAndSts';
const UETR = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const STATUS_MAX = 35;
/** Status reasons that are looked at. */
const REASONS_MAX = 20;

type Level = PaymentStatus['level'];

/**
 * Customer payment status reports (ISO 20022 pain.002.001.03 and later). What is said of single payments comes before
 * what is said of their block, and that before what is said of the file: the closer word counts first.
 */
export class PaymentStatusReader implements StatementReader, XmlHandler {
  readonly namespaces = NAMESPACE;
  readonly what = 'a pain.002.001 document of version 03 or later';
  readonly #xml = new XmlTrees(this);
  readonly #emit: Emit;
  #group: XmlNode | undefined;
  #block: { readonly line: number; readonly parts: XmlNode[] } | undefined;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  write(text: string): void {
    this.#xml.write(text);
  }

  end(): void {
    this.#xml.end();
  }

  open(path: readonly string[], line: number): void {
    if (path.length === 2) this.#group = undefined;
    if (path.length === 2 && path[1] !== BODY) {
      throw new StatementRefusal('format_unknown', `<${shown(path[1] ?? '')}> is not a status report`, line);
    }
    if (path.length === 3) this.#block = { line, parts: [] };
  }

  close(path: readonly string[], line: number): void {
    if (path.length === 3 && this.#block !== undefined) {
      const { parts, line: begun } = this.#block;
      const block = { name: BLOCK, line: begun, currency: undefined, children: parts, text: '' };
      this.#block = undefined;
      this.#notify('block', block, textAt(block, 'PmtInfSts'), textAt(block, 'OrgnlPmtInfId'));
    }
    if (path.length === 2) {
      if (this.#group === undefined) {
        throw new StatementRefusal('field_missing', 'OrgnlGrpInfAndSts is missing', line);
      }
      this.#notify('file', this.#group, textAt(this.#group, 'GrpSts'), textAt(this.#group, 'OrgnlMsgId'));
    }
  }

  keeps(path: readonly string[]): boolean {
    return path.length === 3 ? path[2] !== BLOCK : path.length === 4 && path[2] === BLOCK;
  }

  node(path: readonly string[], node: XmlNode): void {
    if (path.length === 3) {
      if (node.name === 'OrgnlGrpInfAndSts') this.#group ??= node;
      return;
    }
    if (node.name === 'TxInfAndSts') {
      const blockId = this.#block?.parts.find((part) => part.name === 'OrgnlPmtInfId')?.text.trim();
      this.#notify('payment', node, textAt(node, 'TxSts'), blockId ?? null);
    } else if (this.#block !== undefined && this.#block.parts.length < REASONS_MAX + 10) {
      this.#block.parts.push(node);
    }
  }

  /** A level of which no status is given says nothing: the one above or below does. */
  #notify(level: Level, node: XmlNode, status: string | null, originalId: string | null): void {
    if (status === null) return;
    if (status.length > STATUS_MAX) {
      throw new StatementRefusal('field_invalid', `"${shown(status)}" is not a status`, node.line);
    }
    const reasons = all(node, 'StsRsnInf').slice(0, REASONS_MAX);
    const amount = at(node, 'OrgnlTxRef/Amt/InstdAmt');
    // None of our payments is in a currency that is not known here.
    const currency =
      amount === undefined || isForeignCurrency(amount.currency)
        ? undefined
        : currencyOf(amount.currency ?? '', amount.line);
    const uetr = textAt(node, 'OrgnlUETR')?.toLowerCase() ?? null;
    const codes = reasons.map((each) => textAt(each, 'Rsn/Cd', 'Rsn/Prtry')).filter((each) => each !== null);
    const isPayment = level === 'payment';
    this.#emit({
      type: 'payment_status',
      payment: {
        line: node.line,
        level,
        status,
        reasonCode: codes[0] === undefined ? null : cut(codes[0], STATUS_MAX),
        reasonText: nameOf(
          remittanceOf(reasons.flatMap((each) => all(each, 'AddtlInf').map((text) => text.text))),
        ),
        originalId: referenceOf(originalId),
        endToEndId: isPayment ? referenceOf(textAt(node, 'OrgnlEndToEndId')) : null,
        instructionId: isPayment ? referenceOf(textAt(node, 'OrgnlInstrId')) : null,
        uetr: isPayment && uetr !== null && UETR.test(uetr) ? uetr : null,
        amountMinor:
          amount === undefined || currency === undefined
            ? null
            : amountOf(amount.text.trim(), currency, amount.line),
        currency: currency?.code ?? null,
      },
    });
  }
}

/** A status of a payment, as a report gives it. Its `originalId` is the block that the payment was ordered in. */
export type ReportedPayment = Pick<
  PaymentStatus,
  | 'status'
  | 'reasonCode'
  | 'originalId'
  | 'endToEndId'
  | 'instructionId'
  | 'uetr'
  | 'amountMinor'
  | 'currency'
>;

/** What stands where there was no file. */
const NO_FILE = 'NOTPROVIDED';

/**
 * A pain.002.001.10 about payments of one payment file. Made of nothing but what it is given, so that the same facts
 * make the same bytes.
 */
export function writePain002(
  { id, createdAt, originalMessageId }: MessageHeader & { readonly originalMessageId: string | null },
  payments: readonly ReportedPayment[],
): string {
  const header = tag('GrpHdr', text('MsgId', id) + text('CreDtTm', createdAt));
  const original = tag(
    'OrgnlGrpInfAndSts',
    text('OrgnlMsgId', originalMessageId ?? NO_FILE) + text('OrgnlMsgNmId', 'pain.001.001.09'),
  );
  const blocks = [...Map.groupBy(payments, (each) => each.originalId ?? NO_FILE)].map(([block, members]) =>
    tag('OrgnlPmtInfAndSts', `${text('OrgnlPmtInfId', block)}\n${members.map(statusXml).join('\n')}`),
  );
  return documentXml('pain.002.001.10', BODY, [header, original, ...blocks, '']);
}

function statusXml(payment: ReportedPayment): string {
  const { status, reasonCode, endToEndId, instructionId, uetr, amountMinor, currency } = payment;
  return tag(
    'TxInfAndSts',
    optional('OrgnlInstrId', instructionId) +
      optional('OrgnlEndToEndId', endToEndId) +
      optional('OrgnlUETR', uetr) +
      text('TxSts', status) +
      (reasonCode === null ? '' : tag('StsRsnInf', tag('Rsn', text('Cd', reasonCode)))) +
      (amountMinor === null || currency === null
        ? ''
        : tag('OrgnlTxRef', tag('Amt', amountXml('InstdAmt', amountMinor, currency)))),
  );
}
