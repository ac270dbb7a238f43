import { nameInWords } from '../approvals/changes.ts';

/** A problem of the service, as far as people are told of it. */
interface Problem {
  readonly detail: string;
  readonly errors: readonly Wrong[];
}

/** A member that is wrong: a JSON pointer, or `/header/…`, `/query/…`, `/path/…`. */
interface Wrong {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

const REASON = '/header/Firmquote-Reason';
/** Names that are written in capitals. */
const CAPITALS: Readonly<Record<string, string>> = {
  Iban: 'IBAN',
  Bic: 'BIC',
  Lei: 'LEI',
  Url: 'Address',
  Zone: 'Time zone',
  'Ip allow list': 'IP allow list',
};

/** What is wrong, in sentences, without the names that only programs use. */
export function detailOf({ detail, errors }: Problem): string {
  if (errors.length > 0) return errors.map(sentenceOf).join(' ');
  return detail;
}

function sentenceOf(wrong: Wrong): string {
  // What begins as a sentence is one, and says itself what it is about.
  if (wrong.pointer === REASON || /^[A-Z]/.test(wrong.detail)) return atField(wrong);
  const name = nameOf(wrong.pointer);
  return `${name === '' ? '' : `${name} `}${ended(wrong.detail)}`;
}

/** What stands at the field itself, where its name does. */
export function atField({ pointer, code, detail }: Wrong): string {
  if (pointer === REASON && code === 'required') return 'Enter a reason: a second person needs it to decide.';
  const text = ended(detail);
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The name of the form's field that an error is about: `/iban` and `/body/iban` are `iban`. */
export function fieldOf(pointer: string): string {
  if (pointer === REASON) return 'why';
  return pointer.split('/').findLast((part) => !/^\d+$/.test(part)) ?? '';
}

function nameOf(pointer: string): string {
  const name = nameInWords(fieldOf(pointer));
  return CAPITALS[name] ?? name;
}

const ended = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`);
