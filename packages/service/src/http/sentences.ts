/**
 * What a caller is told of a value that does not have the form of its schema: a sentence for people, never the pattern. A test
 * holds that every pattern of a request has one here.
 */

/** These are said where code judges as well. */
export const DATE = 'must be a date such as "2026-03-06"';
export const INSTANT = 'must be an RFC 3339 time such as "2026-03-04T14:30:00.000Z"';
export const TIME_ZONE = 'must be an IANA time zone such as "Europe/London"';
export const POSITIVE = 'must be greater than zero';

/** Of the end of a range; `start` is the name of its beginning. */
export function notBefore(start: string): string {
  return `must not be before \`${start}\``;
}

/** Of the largest of what is looked for; `least` is the name of the smallest. */
export function notLess(least: string): string {
  return `must not be less than \`${least}\``;
}

/** Of a field that excludes others. */
export function notWith(others: string): string {
  return `cannot be given together with ${others}`;
}

const DECIMAL = 'must be a decimal string such as';
const DIGITS_15 = 'with at most 15 digits before the point';
const TIME_OF_DAY = 'must be a time of day such as "16:55"';
const ONE_LINE = 'must be one line of text, without control characters';
const NOT_BLANK = 'must be one line of text that is not blank, without control characters';
const TEXT = 'must be valid Unicode text without NUL';
const BPS =
  'must be basis points as a decimal string such as "20.00", at most "9999.99", with at most two decimals';

const BY_PATTERN: Readonly<Record<string, string>> = {
  '^(0|[1-9][0-9]{0,14})(\\.[0-9]{1,4})?$': `${DECIMAL} "100.00", ${DIGITS_15}`,
  '^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,2})?$': `${DECIMAL} "100.00", with at most 12 digits before the point and two behind it`,
  '^-?(0|[1-9][0-9]{0,14})(\\.[0-9]{1,4})?$': `${DECIMAL} "100.00" or "-100.00", ${DIGITS_15}`,
  '^\\d{1,12}(\\.\\d{1,10})?$': `${DECIMAL} "1.08488", with at most 12 digits before the point and ten behind it`,
  '^\\d{1,2}(\\.\\d{1,4})?$': `${DECIMAL} "0.4"`,
  '^\\d{1,4}(\\.\\d{1,2})?$': BPS,
  '^-?\\d{1,7}(\\.\\d{1,8})?$': `${DECIMAL} "0.52" or "-0.52", with at most eight decimals`,
  '^-?\\d{1,3}(\\.\\d{1,4})?$': `${DECIMAL} "3.60" or "-0.60", with at most four decimals`,
  '^[a-z0-9][a-z0-9._-]{0,49}$':
    'must be a name of lower-case letters, digits, dots, dashes and underscores such as "bank-a"',
  '^[A-Z]{3}$': 'must be a currency of three capital letters such as "USD"',
  '^[A-Z]{6}$': 'must be a pair of six capital letters such as "EURUSD"',
  '^[A-Z]{2}$': 'must be a country of two capital letters such as "DE"',
  '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$': INSTANT,
  '^\\d{4}-\\d{2}-\\d{2}$': DATE,
  '^20[0-9]{2}$': 'must be a year from 2000 to 2099',
  '^([01]\\d|2[0-3]):[0-5]\\d$': TIME_OF_DAY,
  '^([01][0-9]|2[0-3]):[0-5][0-9]$': TIME_OF_DAY,
  '^(([01]\\d|2[0-3]):[0-5]\\d|24:00)$': `${TIME_OF_DAY}, at most "24:00"`,
  '^[A-Z0-9]{4}$': 'must be a code of four capital letters or digits such as "FOCR"',
  '^[A-Z0-9]{20}$': 'must be a LEI of 20 capital letters and digits',
  '^[a-z0-9_]{1,32}$': 'must be 1 to 32 lower-case letters, digits and underscores such as "sepa_instant"',
  '^[0-9]+$': 'must be a whole number',
  '^[\\x21-\\x7e]*$': 'must be printable ASCII characters without spaces',
  '^[^/\\\\]+$': 'must be a name without slashes',
  '^[^\\p{Cc}\\p{Cs}]*$': ONE_LINE,
  '^[^\\S\\p{Cc}]*[^\\s\\p{Cc}\\p{Cs}][^\\p{Cc}\\p{Cs}]*$': NOT_BLANK,
  '^[^\\x00\\p{Cs}]*$': TEXT,
};
/** What is no string is told the form that is wanted, but where that is any text. */
const ANY_TEXT: ReadonlySet<string | undefined> = new Set([ONE_LINE, NOT_BLANK, TEXT]);

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID',
  date: DATE,
  'date-time': INSTANT,
};

const BY_TYPE: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

/** An error of the validator. */
export interface AjvError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** The schema that holds the keyword. */
  readonly parentSchema?: { readonly pattern?: string };
  /** The key that a rule for keys refuses. */
  readonly propertyName?: string;
}

const NOT_VALID = 'is not valid';

/** A predicate for the value that the error is about. */
export function sentenceOf({ keyword, params, parentSchema }: AjvError): string {
  const { limit, comparison } = params as { limit?: number; comparison?: string };
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
      return 'is required';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not a field of this request';
    case 'type':
      return typeSentence(params.type, parentSchema?.pattern);
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).map(String).join(', ')}`;
    case 'pattern':
      return BY_PATTERN[String(params.pattern)] ?? NOT_VALID;
    case 'format':
      return BY_FORMAT[String(params.format)] ?? NOT_VALID;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} entries`;
    case 'maxItems':
      return `must have at most ${limit} entries`;
    case 'minProperties':
      return limit === 1 ? 'must have a field' : `must have at least ${limit} fields`;
    case 'maxProperties':
      return `must have at most ${limit} fields`;
    case 'uniqueItems':
      return 'must not contain duplicates';
    case 'minimum':
    case 'maximum':
      return `must be ${comparison === '>=' ? 'at least' : 'at most'} ${limit}`;
    default:
      return NOT_VALID;
  }
}

function typeSentence(types: unknown, pattern: string | undefined): string {
  const ofPattern = pattern === undefined ? undefined : BY_PATTERN[pattern];
  if (ofPattern !== undefined && !ANY_TEXT.has(ofPattern)) return ofPattern;
  const wanted = Array.isArray(types) ? types : String(types).split(',');
  return `must be ${wanted.map((type) => BY_TYPE[type] ?? type).join(' or ')}`;
}
