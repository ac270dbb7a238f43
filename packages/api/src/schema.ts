import { RETRY_HELP, type Retry } from './problems/definition.ts';
import { type TProperties, type TSchema, Type } from './typebox.ts';

/** Where a schema keeps its name; not enumerable, so that validators and serialisers see the schema as it is. */
const NAME: unique symbol = Symbol('name');
/** The same of the schema that a described copy is of. */
const BASE: unique symbol = Symbol('base');

interface Marked {
  readonly [NAME]?: string;
  readonly [BASE]?: string;
}

/**
 * Gives a schema the name under which the API document holds it once and refers to it everywhere else.
 * @param example of what it describes, for every operation that takes or answers it
 */
export function named<T extends TSchema>(name: string, schema: T, example?: object): T {
  if (example !== undefined) Object.assign(schema, { examples: [example] });
  return Object.defineProperty(schema, NAME, { value: name });
}

/** A named schema with a description of its own, for what it means where it stands. */
export function described<T extends TSchema>(schema: T, description: string): T {
  const base = nameOf(schema);
  const copy = { ...schema, description };
  return base === undefined ? copy : Object.defineProperty(copy, BASE, { value: base });
}

/** The name of a schema, if it has one. */
export function nameOf(schema: object): string | undefined {
  return (schema as Marked)[NAME];
}

/** The name of the schema that this one only describes otherwise. */
export function baseOf(schema: object): string | undefined {
  return (schema as Marked)[BASE];
}

// Building blocks that all operations share.

/** Decimal string of at most 15 digits before and 4 after the point. Never a JSON number. */
export const Amount = named(
  'Amount',
  Type.String({
    pattern: '^(0|[1-9][0-9]{0,14})(\\.[0-9]{1,4})?$',
    description:
      'Decimal string, for example "100000.00". Responses carry exactly the minor units of the currency.',
    examples: ['100000.00'],
  }),
);
export const CurrencyCode = named(
  'CurrencyCode',
  Type.String({
    pattern: '^[A-Z]{3}$',
    description: 'ISO 4217 code.',
    examples: ['USD'],
  }),
);
export const Money = named('Money', Type.Object({ amount: Type.String(), currency: CurrencyCode }));
export const PairCode = named(
  'PairCode',
  Type.String({
    pattern: '^[A-Z]{6}$',
    description: 'Six letters in market order.',
    examples: ['EURUSD'],
  }),
);
export const Instant = named(
  'Instant',
  Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?(Z|[+-]\\d{2}:\\d{2})$',
    description: 'RFC 3339; in responses, UTC with milliseconds.',
    examples: ['2026-03-04T14:30:00.112Z'],
  }),
);
export const CalendarDate = named(
  'CalendarDate',
  Type.String({
    pattern: '^\\d{4}-\\d{2}-\\d{2}$',
    description: 'YYYY-MM-DD',
    examples: ['2026-03-06'],
  }),
);
export const RateText = named(
  'Rate',
  Type.String({
    description: 'Units of the quote currency for one of the base currency.',
    examples: ['1.08711'],
  }),
);
export const BpsText = named(
  'BasisPoints',
  Type.String({
    pattern: '^\\d{1,4}(\\.\\d{1,2})?$',
    description: 'Basis points, up to two decimals.',
    examples: ['20.00'],
  }),
);
/** One line of text: no control characters, and no half of a surrogate pair, which is no character at all. */
export const LINE_PATTERN = '^[^\\p{Cc}\\p{Cs}]*$';
/** Any text. PostgreSQL holds no NUL and UTF-8 no half of a surrogate pair: they could not come back as given. */
export const TEXT_PATTERN = '^[^\\x00\\p{Cs}]*$';
export const ClientReference = named(
  'ClientReference',
  Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: LINE_PATTERN,
    description: "The caller's own reference; not unique.",
  }),
);
/** Written out, because `Type.Record` drops what is said about its keys and leaves keys with a line break unchecked. */
export const Metadata = named(
  'Metadata',
  Type.Unsafe<Record<string, string>>({
    type: 'object',
    propertyNames: { type: 'string', minLength: 1, maxLength: 40, pattern: TEXT_PATTERN },
    additionalProperties: { type: 'string', maxLength: 200, pattern: TEXT_PATTERN },
    maxProperties: 20,
    description: 'Up to 20 pairs, returned as given. Keys have 1 to 40 characters, values up to 200.',
    examples: [{ costCentre: '4410' }],
  }),
);

/** One line of text for people: not blank, and without control characters, which neither logs nor payment files take. */
export function line(maxLength: number, description?: string) {
  return Type.String({
    minLength: 1,
    maxLength,
    pattern: '^[^\\S\\p{Cc}]*[^\\s\\p{Cc}\\p{Cs}][^\\p{Cc}\\p{Cs}]*$',
    ...(description === undefined ? {} : { description }),
  });
}

/** A name, a reason, or another line of the usual length. */
export const UsualLine = named('Line', line(200));

/** For the bodies of requests: members that they do not name are refused. */
export const CLOSED = { additionalProperties: false } as const;
/** A request that takes no body, or an empty object. */
export const NoBody = Type.Object({}, CLOSED);
export const Version = Type.Integer({ minimum: 1, description: 'The number in the `ETag`.' });
export const CustomerId = named('CustomerId', Type.String({ examples: ['cus_01jngx7z5d2m8r4v6t9k3b1c0a'] }));
/** The same in a body, whose members have a longest length. */
export const GivenCustomerId = Type.String({ maxLength: 64, examples: ['cus_01jngx7z5d2m8r4v6t9k3b1c0a'] });
/** Customers of a group share spread rules. */
export const GroupName = line(64, 'Customers of a group share spread rules.');

export function nullable<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

export function literals<const T extends readonly string[]>(
  values: T,
  options: { description?: string; default?: string } = {},
) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });
}

/** RFC 9457 problem, as every error of the API is sent. */
export const ProblemSchema = named(
  'Problem',
  Type.Object(
    {
      type: Type.String(),
      title: Type.String(),
      status: Type.Integer(),
      detail: Type.String(),
      instance: Type.String(),
      code: Type.String(),
      retry: literals(Object.keys(RETRY_HELP) as readonly Retry[]),
      requestId: Type.String(),
      errors: Type.Optional(
        Type.Array(Type.Object({ pointer: Type.String(), code: Type.String(), detail: Type.String() })),
      ),
    },
    { additionalProperties: true },
  ),
);

const NextCursor = named(
  'NextCursor',
  nullable(Type.String({ description: '`cursor` of the next page; null on the last one.' })),
);

/** A page of a list. */
/** Of a list of {@link versionOf}. A page ends early where the versions are large. */
export const SET_VERSIONS =
  'Shows who set each, and when. Empty if nobody has. A page holds fewer than `limit` if they are large.';

/** A version of something that is set as a whole, with who has set it and when. */
export function versionOf<P extends TProperties>(members: P) {
  return Type.Object({
    version: Version,
    changedAt: Instant,
    changedBy: Type.String({ description: 'Person or OAuth client.' }),
    ...members,
  });
}

export function pageOf<T extends TSchema>(item: T) {
  return Type.Object(
    {
      items: Type.Array(item),
      nextCursor: NextCursor,
      hasMore: Type.Boolean(),
    },
    { description: 'A page.' },
  );
}
