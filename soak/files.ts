import type { Account, Entry, Payment, Statement } from './bank.ts';

/** Files of the bank, written here and not by the service: what reads and what writes must not be of one mind. */

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const tag = (name: string, content: string) => `<${name}>${content}</${name}>`;

const other = (account: string) => tag('Othr', tag('Id', account));
export const isIban = (account: string) => /^[A-Z]{2}\d\d/.test(account);

/** Of currencies with two decimals. */
export function amountText(minor: bigint, point = '.'): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(3, '0');
  return `${digits.slice(0, -2)}${point}${digits.slice(-2)}`;
}

let messages = 0;

/** For another bank, which counts its messages from the first. */
export function countMessagesAnew(): void {
  messages = 0;
}

function document(
  message: string,
  root: string,
  part: string,
  account: Account,
  day: string,
  body: string,
): string {
  messages++;
  const created = tag('CreDtTm', `${day}T18:00:00Z`);
  const id = account.isIban ? tag('IBAN', account.number) : other(account.number);
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${message}"><${root}>
<GrpHdr><MsgId>SOAK${messages}</MsgId>${created}</GrpHdr>
<${part}><Id>F${messages}</Id>${body.startsWith('#') ? `<ElctrncSeqNb>${body.slice(1, body.indexOf('\n'))}</ElctrncSeqNb>` : ''}${created}<Acct><Id>${id}</Id><Ccy>${account.currency}</Ccy></Acct>
${body.startsWith('#') ? body.slice(body.indexOf('\n') + 1) : body}</${part}></${root}></Document>
`;
}

function details(payment: Payment, sign: 1 | -1, currency: string): string {
  const refs =
    tag('EndToEndId', payment.endToEndId ?? 'NOTPROVIDED') +
    (payment.uetr === null ? '' : tag('UETR', payment.uetr));
  // What comes back names the parties of the payment that went out.
  const role = sign === 1 && payment.returned === undefined ? 'Dbtr' : 'Cdtr';
  const parties =
    tag(role, tag('Pty', tag('Nm', escaped(payment.name)))) +
    tag(
      `${role}Acct`,
      tag('Id', isIban(payment.account) ? tag('IBAN', payment.account) : other(payment.account)),
    );
  return tag(
    'TxDtls',
    tag('Refs', refs) +
      `<Amt Ccy="${currency}">${amountText(payment.amountMinor)}</Amt>` +
      tag('CdtDbtInd', sign === 1 ? 'CRDT' : 'DBIT') +
      tag('RltdPties', parties) +
      tag('RmtInf', tag('Ustrd', escaped(payment.text))) +
      (payment.returned === undefined ? '' : tag('RtrInf', tag('Rsn', tag('Cd', payment.returned)))),
  );
}

function entryXml(entry: Entry, currency: string, payments: readonly Payment[], reference: string): string {
  const minor = payments.reduce((sum, each) => sum + each.amountMinor, 0n) || entry.amountMinor;
  const isReturn = payments.some(({ returned }) => returned !== undefined);
  const family = (entry.sign === 1) !== isReturn ? 'RCDT' : 'ICDT';
  return tag(
    'Ntry',
    `<Amt Ccy="${currency}">${amountText(minor)}</Amt>` +
      tag('CdtDbtInd', entry.sign === 1 ? 'CRDT' : 'DBIT') +
      tag('Sts', tag('Cd', 'BOOK')) +
      tag('BookgDt', tag('Dt', entry.day)) +
      tag('ValDt', tag('Dt', entry.day)) +
      tag('AcctSvcrRef', reference) +
      tag(
        'BkTxCd',
        tag(
          'Domn',
          tag('Cd', 'PMNT') + tag('Fmly', tag('Cd', family) + tag('SubFmlyCd', isReturn ? 'RRTN' : 'ESCT')),
        ),
      ) +
      (payments.length === 0
        ? ''
        : tag('NtryDtls', payments.map((each) => details(each, entry.sign, currency)).join(''))),
  );
}

/** A camt.054 of what has just been booked. */
export function notice(account: Account, day: string, entries: readonly Entry[]): string {
  const parts = entries.flatMap((entry) => {
    const { payments, reference, reported } = entry;
    if (reported === 'bare') return [entryXml(entry, account.currency, [], reference)];
    if (reported === 'whole') return [entryXml(entry, account.currency, payments, reference)];
    return payments.map((each, i) => entryXml(entry, account.currency, [each], `${reference}N${i + 1}`));
  });
  return document('camt.054.001.08', 'BkToCstmrDbtCdtNtfctn', 'Ntfctn', account, day, parts.join('\n'));
}

function balance(code: string, minor: bigint, currency: string, day: string): string {
  return tag(
    'Bal',
    tag('Tp', tag('CdOrPrtry', tag('Cd', code))) +
      `<Amt Ccy="${currency}">${amountText(minor)}</Amt>` +
      tag('CdtDbtInd', minor < 0n ? 'DBIT' : 'CRDT') +
      tag('Dt', tag('Dt', day)),
  );
}

/** The statement of a day, as a camt.053 or an MT940. */
export function statementFile(statement: Statement): string {
  return statement.account.style === 'mt940' ? mt940(statement) : camt053(statement);
}

function camt053({ account, day, number, openingMinor, closingMinor, entries }: Statement): string {
  const { currency } = account;
  const body =
    balance('OPBD', openingMinor, currency, day) +
    balance('CLBD', closingMinor, currency, day) +
    entries.map((each) => `\n${entryXml(each, currency, each.payments, each.reference)}`).join('');
  return document('camt.053.001.08', 'BkToCstmrStmt', 'Stmt', account, day, `#${number}\n${body}`);
}

/** Lines of at most 65 characters, as the format has them. */
function folded(text: string): string {
  return (text.match(/.{1,60}/g) ?? []).join('\r\n');
}

function mt940({ account, day, number, openingMinor, closingMinor, entries }: Statement): string {
  const date = day.slice(2).replaceAll('-', '');
  const total = (minor: bigint) =>
    `${minor < 0n ? 'D' : 'C'}${date}${account.currency}${amountText(minor, ',')}`;
  const lines = [
    `:20:SOAK${++messages}`,
    `:25:${account.number}`,
    `:28C:${number}/1`,
    `:60F:${total(openingMinor)}`,
  ];
  for (const entry of entries) {
    const [payment] = entry.payments as readonly [Payment];
    const isReturn = payment.returned !== undefined;
    lines.push(
      `:61:${date}${date.slice(2)}${entry.sign === 1 ? 'C' : 'D'}${amountText(entry.amountMinor, ',')}N${isReturn ? 'RTI' : 'TRF'}NONREF//${entry.reference}`,
      `:86:${folded(
        `${isReturn ? `/RTRN/${payment.returned}//` : '/'}EREF/${payment.endToEndId ?? 'NOTPROVIDED'}//CNTP/${payment.account}//${payment.name}///REMI/USTD//${payment.text}/`,
      )}`,
    );
  }
  lines.push(`:62F:${total(closingMinor)}`, '-');
  return lines.join('\r\n');
}

/** A pain.002: payments of a file that the bank refuses. */
export function rejection(messageId: string, endToEndIds: readonly string[], day: string): string {
  messages++;
  const parts = endToEndIds.map((id) =>
    tag(
      'TxInfAndSts',
      tag('OrgnlEndToEndId', id) + tag('TxSts', 'RJCT') + tag('StsRsnInf', tag('Rsn', tag('Cd', 'AC04'))),
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>
<GrpHdr><MsgId>SOAK${messages}</MsgId><CreDtTm>${day}T10:00:00Z</CreDtTm></GrpHdr>
<OrgnlGrpInfAndSts><OrgnlMsgId>${messageId}</OrgnlMsgId><OrgnlMsgNmId>pain.001.001.09</OrgnlMsgNmId></OrgnlGrpInfAndSts>
<OrgnlPmtInfAndSts><OrgnlPmtInfId>${messageId}</OrgnlPmtInfId>${parts.join('')}</OrgnlPmtInfAndSts>
</CstmrPmtStsRpt></Document>
`;
}

export interface Ordered {
  readonly messageId: string;
  readonly payments: readonly Payment[];
}

/** What a pain.001 orders, looked for with no more than a bank needs. */
export function readOrders(file: string): Ordered {
  const one = (text: string, name: string) =>
    new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`).exec(text)?.[1] ?? null;
  const payments = [...file.matchAll(/<CdtTrfTxInf>(.*?)<\/CdtTrfTxInf>/gs)].map(([, text = '']) => {
    const creditor = /<CdtrAcct>(.*?)<\/CdtrAcct>/s.exec(text)?.[1] ?? '';
    return {
      amountMinor: BigInt((one(text, 'InstdAmt') ?? '').replace('.', '')),
      endToEndId: one(text, 'EndToEndId'),
      uetr: one(text, 'UETR'),
      text: one(text, 'Ustrd') ?? 'payment',
      name: one(/<Cdtr>(.*?)<\/Cdtr>/s.exec(text)?.[1] ?? '', 'Nm') ?? '',
      account: one(creditor, 'IBAN') ?? one(creditor, 'Id') ?? '',
    };
  });
  return { messageId: one(file, 'MsgId') ?? '', payments };
}
