import fc from 'fast-check';
import { Check } from 'typebox/schema';
import type { Random } from '../../../../../soak/random.ts';
import type { Known } from './known.ts';

// biome-ignore lint/suspicious/noExplicitAny: a JSON schema is looked into freely
export type Schema = any;

/** How values are made. */
export interface Making {
  readonly known: Known;
  readonly random: Random;
  /** Share of optional members that are there. */
  readonly optional: number;
}

/** Where nothing is known yet, or what is known would not do. */
const USUAL: Readonly<Record<string, readonly unknown[]>> = {
  currency: ['EUR', 'USD', 'GBP'],
  pair: ['EURUSD'],
  amount: ['100.00'],
  iban: ['DE89370400440532013000', 'NL91ABNA0417164300'],
  bic: ['COBADEFFXXX'],
  bankCountry: ['DE'],
  country: ['DE'],
  url: ['http://127.0.0.1:9/hook'],
  valueDate: ['2026-03-06'],
  tenor: ['spot'],
  email: ['somebody@example.com'],
  source: ['push', 'simulated'],
  spreadBps: ['20.00'],
  zone: ['Europe/London'],
  validitySeconds: [300],
  version: [1],
  from: ['2026-03-01T00:00:00Z', '2026-03-01'],
  to: ['2026-03-20T00:00:00Z', '2026-03-20'],
  year: ['2027'],
  role: ['viewer'],
  currencie: ['EUR', 'USD'],
};

/** A value that the schema takes, as likely as can be one that means something. */
export function validValue(schema: Schema, name: string, making: Making): unknown {
  const { known, random } = making;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  const branches: readonly Schema[] | undefined = schema.anyOf ?? schema.oneOf;
  if (branches !== undefined) return validValue(random.pick(branches), name, making);
  if (schema.allOf !== undefined) {
    return Object.assign({}, ...schema.allOf.map((each: Schema) => validValue(each, name, making)));
  }
  if (schema.type === 'object') return validObject(schema, making);
  if (schema.type === 'array') {
    const least = schema.minItems ?? 0;
    const most = Math.min(schema.maxItems ?? 2, least + 2);
    const length = Math.max(least, random.between(Math.min(1, most), most));
    const items = Array.from({ length }, () =>
      validValue(schema.items ?? {}, name.replace(/s$/, ''), making),
    );
    return schema.uniqueItems === true ? [...new Set(items)] : items;
  }
  const heard = known.values(name).filter((value) => Check(schema, value));
  const usual = (USUAL[name] ?? []).filter((value) => Check(schema, value));
  if (usual.length > 0 && random.chance(0.6)) return random.pick(usual);
  if (heard.length > 0 && random.chance(0.8)) return random.pick(heard);
  return validScalar(schema, making);
}

function validObject(schema: Schema, making: Making): Record<string, unknown> {
  const { properties = {}, required = [], patternProperties } = schema;
  const made: Record<string, unknown> = {};
  for (const [name, member] of Object.entries<Schema>(properties)) {
    const isThere = required.includes(name) || making.random.chance(making.optional);
    if (isThere) made[name] = validValue(member, name, making);
  }
  if (patternProperties !== undefined && making.random.chance(making.optional)) {
    made.a = validValue(Object.values(patternProperties)[0], 'a', making);
  }
  return made;
}

function validScalar(schema: Schema, { random }: Making): unknown {
  switch (schema.type) {
    case 'null':
      return null;
    case 'boolean':
      return random.chance(0.5);
    case 'integer':
    case 'number': {
      const least = schema.minimum ?? 0;
      return random.between(least, Math.min(schema.maximum ?? least + 10, least + 10));
    }
    case 'string':
      return validText(schema, random);
    default:
      return 'x';
  }
}

function validText(
  { examples, pattern, format, minLength = 0, maxLength = 20 }: Schema,
  random: Random,
): string {
  if (examples !== undefined && random.chance(0.8)) return random.pick(examples as string[]);
  if (format === 'date-time') return `2026-03-04T${String(random.between(10, 23))}:30:00Z`;
  if (format === 'date') return random.pick(['2026-03-04', '2026-03-06', '2026-03-09']);
  if (pattern !== undefined) {
    const seed = random.between(0, 2 ** 31 - 1);
    const [made = ''] = fc.sample(fc.stringMatching(new RegExp(pattern)), { seed, numRuns: 1 });
    return made;
  }
  const length = Math.max(minLength, Math.min(maxLength, random.between(1, 12)));
  return Array.from({ length }, () => random.pick([...'abcdefghijklmnop'])).join('');
}

/** What of the value the schema has members for: a document that was read, as one that can be sent. */
export function projected(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => projected(schema.items ?? {}, item));
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return value;
  const members = Object.entries(value).filter(([name]) => schema.properties[name] !== undefined);
  return Object.fromEntries(
    members.map(([name, inner]) => [name, projected(schema.properties[name], inner)]),
  );
}
