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
};

/** What is wrong, in sentences, without the names that only programs use. */
export function detailOf({ detail, errors }: Problem): string {
  if (errors.length > 0) return errors.map(sentenceOf).join(' ');
  return reasonsInWords(detail);
}

function sentenceOf(wrong: Wrong): string {
  if (wrong.pointer === REASON) return atField(wrong);
  const name = nameOf(wrong.pointer);
  return `${name === '' ? '' : `${name} `}${ended(wrong.detail)}`;
}

/** What stands at the field itself, where its name does. */
export function atField({ pointer, code, detail }: Wrong): string {
  if (pointer === REASON && code === 'required')
    return 'Say why: a second person decides it, and has to know.';
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

/** Why a date cannot be used: `weekend: KWD`, `cutoff_passed: EUR`, `holiday: USD Thanksgiving Day`. */
const REASONS: readonly (readonly [pattern: RegExp, words: (currency: string, name: string) => string])[] = [
  [/^cutoff_passed: ([A-Z]{3})$/, (currency) => `the cut-off of ${currency} has passed`],
  [/^weekend: ([A-Z]{3})$/, (currency) => `it is a weekend for ${currency}`],
  [/^holiday: ([A-Z]{3}) (.+)$/, (currency, name) => `${name} is a holiday for ${currency}`],
  [
    /^us_holiday_between: ([A-Z]{3})(?: (.+))?$/,
    (currency) => `${currency} does not count a holiday of the US on the way`,
  ],
  [/^calendar_missing: ([A-Z]{3})$/, (currency) => `there is no calendar of ${currency} for it`],
  [/^before_trade_date$/, () => 'it is before the trade date'],
  [/^after_spot$/, () => 'it is after spot'],
  [/^no_good_date$/, () => 'no day in reach is open'],
];

/** `EUR/USD cannot settle today: cutoff_passed: EUR; cutoff_passed: USD.` */
function reasonsInWords(detail: string): string {
  const at = detail.indexOf(': ');
  if (at < 0) return detail;
  const parts = detail
    .slice(at + 2)
    .replace(/\.$/, '')
    .split('; ');
  const told = parts.map((part) => reasonInWords(part));
  if (told.some((words) => words === undefined)) return detail;
  return `${detail.slice(0, at)}: ${told.join(', and ')}.`;
}

function reasonInWords(reason: string): string | undefined {
  for (const [pattern, words] of REASONS) {
    const found = pattern.exec(reason);
    if (found !== null) return words(found[1] ?? '', found[2] ?? '');
  }
  return undefined;
}
