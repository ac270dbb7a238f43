/** Schemas of the OpenAPI document as rows of a table, one for each member, however deep. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly additionalProperties?: Schema | boolean;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly format?: string;
}

export type Named = Readonly<Record<string, Schema>>;

export interface Row {
  /** `rate.value`, `deposits[].amount` */
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly about: string;
}

/** Deeper members are in the OpenAPI document only. */
const DEPTH_MAX = 4;

export function rowsOf(schema: Schema, named: Named): Row[] {
  return membersOf(resolve(schema, named), named, '', 0);
}

/** What a reference leads to; what is said beside it goes first. */
function resolve(schema: Schema, named: Named): Schema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...beside } = schema;
  const target = named[$ref.slice('#/components/schemas/'.length)];
  if (target === undefined) throw new Error(`nothing is at ${$ref}`);
  return { ...resolve(target, named), ...beside };
}

/** Of a member that may be null: what it is otherwise. */
function unwrapped(schema: Schema, named: Named): { readonly schema: Schema; readonly isNullable: boolean } {
  const whole = resolve(schema, named);
  const [first, second] = whole.anyOf ?? [];
  if (whole.anyOf?.length !== 2 || first === undefined || second?.type !== 'null') {
    return { schema: whole, isNullable: Array.isArray(whole.type) && whole.type.includes('null') };
  }
  const { anyOf: _, ...beside } = whole;
  return { schema: { ...resolve(first, named), ...beside }, isNullable: true };
}

function membersOf(schema: Schema, named: Named, prefix: string, depth: number): Row[] {
  if (depth >= DEPTH_MAX) return [];
  const forms = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    memberRows(`${prefix}${name}`, member, schema.required?.includes(name) === true, named, depth),
  );
  const inherited = forms.flatMap((form) => membersOf(resolve(form, named), named, prefix, depth));
  const seen = new Set<string>();
  return [...own, ...inherited].filter(({ name }) => !seen.has(name) && seen.add(name));
}

function memberRows(name: string, member: Schema, isRequired: boolean, named: Named, depth: number): Row[] {
  const { schema, isNullable } = unwrapped(member, named);
  const items = schema.items === undefined ? undefined : unwrapped(schema.items, named).schema;
  const inner = items ?? schema;
  const path = items === undefined ? `${name}.` : `${name}[].`;
  const type = `${typeOf(schema, named)}${isNullable ? ' or null' : ''}`;
  return [{ name, type, isRequired, about: aboutOf(schema) }, ...membersOf(inner, named, path, depth + 1)];
}

export function typeOf(schema: Schema, named: Named): string {
  const whole = resolve(schema, named);
  if (whole.const !== undefined) return code(whole.const);
  if (whole.enum !== undefined)
    return whole.enum
      .filter((value) => value !== null)
      .map(code)
      .join(', ');
  if (whole.items !== undefined) return `array of ${typeOf(unwrapped(whole.items, named).schema, named)}`;
  const choices = whole.anyOf ?? whole.oneOf;
  if (choices !== undefined && whole.properties === undefined) {
    const kinds = choices.map((each) => typeOf(each, named));
    return [...new Set(kinds)].join(' or ');
  }
  const types = (Array.isArray(whole.type) ? whole.type : [whole.type ?? 'object']) as readonly string[];
  return types.filter((type) => type !== 'null').join(' or ') || 'any';
}

const code = (value: unknown) => `\`${String(value)}\``;

function aboutOf(schema: Schema): string {
  const { description = '', default: standard, minimum, maximum, maxLength, maxItems } = schema;
  const bounds =
    minimum !== undefined && maximum !== undefined
      ? `${minimum} to ${maximum}.`
      : maxLength !== undefined && maxLength > 0
        ? `Up to ${maxLength} characters.`
        : maxItems !== undefined && maxItems > 0
          ? `Up to ${maxItems}.`
          : '';
  const usual = standard === undefined ? '' : `Default ${code(standard)}.`;
  return [description, bounds, usual].filter((text) => text !== '').join(' ');
}

/** A body that has what must be there. */
export function sampleOf(given: Schema, named: Named): unknown {
  const schema = unwrapped(given, named).schema;
  const { examples, enum: values, default: usual, required = [], properties = {}, items } = schema;
  if (schema.const !== undefined) return schema.const;
  const known = examples?.[0] ?? usual ?? values?.find((value) => value !== null);
  if (known !== undefined) return known;
  const [form] = schema.anyOf ?? schema.oneOf ?? [];
  if (form !== undefined && Object.keys(properties).length === 0) return sampleOf(form, named);
  const types = [schema.type ?? 'object'].flat();
  if (types.includes('array') && items !== undefined) return [sampleOf(items, named)];
  if (types.includes('integer') || types.includes('number')) return schema.minimum ?? 1;
  if (types.includes('boolean')) return true;
  if (types.includes('string')) return schema.format === 'date' ? '2026-03-06' : 'text';
  // Where none is required but one must be there, the first stands for it.
  const names =
    required.length > 0 || schema.minProperties === undefined
      ? required
      : Object.keys(properties).slice(0, 1);
  return Object.fromEntries(
    names.flatMap((name) => {
      const member = properties[name];
      return member === undefined ? [] : [[name, sampleOf(member, named)]];
    }),
  );
}
