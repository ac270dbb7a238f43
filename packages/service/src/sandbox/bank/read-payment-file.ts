import { at, textAt, type XmlHandler, type XmlNode, XmlTrees } from '@firmquote/bank-formats';
import { findCurrency, parseAmount } from '@firmquote/fx';
import type { HouseAccount } from './movement.ts';

/** A payment as the file orders it. */
export interface OrderedPayment {
  readonly endToEndId: string;
  readonly uetr: string | null;
  readonly paymentInformationId: string | null;
  readonly debtor: HouseAccount;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly creditorName: string | null;
  readonly creditorAccount: string | null;
  readonly remittanceText: string | null;
}

export interface OrderedPayments {
  readonly messageId: string;
  readonly payments: readonly OrderedPayment[];
}

/**
 * Reads a customer credit transfer initiation (pain.001), as the bank does that it is handed to.
 * @throws Error on what is not one, or lacks what a bank needs
 */
export function readPaymentFile(content: Buffer): OrderedPayments {
  const reader = new PaymentFileReader();
  const xml = new XmlTrees(reader);
  xml.write(content.toString('utf8'));
  xml.end();
  return { messageId: required(reader.messageId, 'MsgId'), payments: reader.payments };
}

/** The group header, the parts of a payment block, and each payment. */
class PaymentFileReader implements XmlHandler {
  readonly namespaces = /^urn:iso:std:iso:20022:tech:xsd:pain\.001\./;
  readonly what = 'a payment file';
  messageId: string | null = null;
  readonly payments: OrderedPayment[] = [];
  #block = new Map<string, XmlNode>();

  open(path: readonly string[]): void {
    if (path.length === 3 && path[2] === 'PmtInf') this.#block = new Map();
  }

  close(): void {}

  keeps(path: readonly string[]): boolean {
    return path.length === 3 ? path[2] !== 'PmtInf' : path.length === 4 && path[2] === 'PmtInf';
  }

  node(path: readonly string[], node: XmlNode): void {
    if (path.length === 3) {
      if (node.name === 'GrpHdr') this.messageId = textAt(node, 'MsgId');
    } else if (node.name === 'CdtTrfTxInf') this.payments.push(this.#payment(node));
    else this.#block.set(node.name, node);
  }

  #payment(node: XmlNode): OrderedPayment {
    const amount = at(node, 'Amt/InstdAmt');
    const currency = findCurrency(amount?.currency ?? '');
    const parsed = currency && parseAmount(amount?.text.trim() ?? '', currency);
    if (currency === undefined || parsed === undefined || !parsed.ok || parsed.minor <= 0n) {
      throw new Error('a payment without an amount');
    }
    return {
      endToEndId: required(textAt(node, 'PmtId/EndToEndId'), 'EndToEndId'),
      uetr: textAt(node, 'PmtId/UETR'),
      paymentInformationId: this.#block.get('PmtInfId')?.text.trim() ?? null,
      debtor: this.#debtor(currency.code),
      amountMinor: parsed.minor,
      currency: currency.code,
      creditorName: textAt(node, 'Cdtr/Nm'),
      creditorAccount: textAt(node, 'CdtrAcct/Id/IBAN', 'CdtrAcct/Id/Othr/Id'),
      remittanceText: textAt(node, 'RmtInf/Ustrd'),
    };
  }

  #debtor(currency: string): HouseAccount {
    const account = this.#block.get('DbtrAcct');
    const iban = textAt(account, 'Id/IBAN');
    return {
      currency,
      account: required(iban ?? textAt(account, 'Id/Othr/Id'), 'DbtrAcct'),
      isIban: iban !== null,
      holder: required(textAt(this.#block.get('Dbtr'), 'Nm'), 'Dbtr'),
      bic: textAt(this.#block.get('DbtrAgt'), 'FinInstnId/BICFI', 'FinInstnId/BIC'),
    };
  }
}

function required(text: string | null, name: string): string {
  if (text === null) throw new Error(`a payment file without ${name}`);
  return text;
}
