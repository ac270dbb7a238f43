/** A JSON Schema as the OpenAPI document holds it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly const?: string | number | boolean;
}

const SCHEMAS = '#/components/schemas/';

/** The name that a reference to a schema leads to. */
export function nameIn(ref: string): string {
  if (!ref.startsWith(SCHEMAS)) throw new Error(`no schema: ${ref}`);
  return ref.slice(SCHEMAS.length);
}

/** Names that a schema refers to, itself and through what it holds, but not through other names. */
export function namesIn(schema: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(schema)) for (const each of schema) namesIn(each, found);
  else if (typeof schema === 'object' && schema !== null) {
    for (const [key, value] of Object.entries(schema)) {
      if (key === '$ref' && typeof value === 'string' && value.startsWith(SCHEMAS)) found.add(nameIn(value));
      else namesIn(value, found);
    }
  }
  return found;
}

/**
 * TypeScript for a schema.
 * @param isOpen whether values may come that nobody knows yet: in answers, not in requests
 */
export function typeText(schema: Schema, isOpen: boolean): string {
  if (schema.$ref !== undefined) return nameIn(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum !== undefined) return enumText(schema, isOpen);
  if (schema.anyOf !== undefined) return union(schema.anyOf.map((each) => typeText(each, isOpen)));
  if (schema.allOf !== undefined)
    return schema.allOf.map((each) => `(${typeText(each, isOpen)})`).join(' & ');
  if (Array.isArray(schema.type)) {
    return union(schema.type.map((type: string) => typeText({ ...schema, type }, isOpen)));
  }
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return `readonly ${bracketed(typeText(schema.items ?? {}, isOpen))}[]`;
    case 'object':
      return objectText(schema, isOpen);
    default:
      return 'unknown';
  }
}

function enumText({ enum: values = [], type }: Schema, isOpen: boolean): string {
  const known = union([
    ...values.map((value) => JSON.stringify(value)),
    ...(Array.isArray(type) && type.includes('null') && !values.includes(null) ? ['null'] : []),
  ]);
  // One value tells what something is; of several there may be more one day.
  return isOpen && values.length > 1 ? `Open<${known}>` : known;
}

function objectText(schema: Schema, isOpen: boolean): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  const members = Object.entries(properties).map(([name, member]) => {
    const type = typeText(member, isOpen);
    const rest = required.includes(name) ? `: ${type}` : `?: ${type} | undefined`;
    return `${docText(member.description)}readonly ${propertyName(name)}${rest};`;
  });
  if (typeof additionalProperties === 'object') {
    const values = typeText(additionalProperties, isOpen);
    if (members.length === 0) return `Readonly<Record<string, ${values}>>`;
    members.push('readonly [name: string]: unknown;');
  } else if (members.length === 0) {
    return additionalProperties === false ? 'Record<never, never>' : 'Readonly<Record<string, unknown>>';
  }
  return `{\n${members.join('\n')}\n}`;
}

export function propertyName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}

function bracketed(type: string): string {
  return /^[\w.]+$/.test(type) ? type : `(${type})`;
}

function union(types: readonly string[]): string {
  return [...new Set(types)].join(' | ');
}

/** A comment, or nothing where there is nothing to say. */
export function docText(text: string | undefined): string {
  if (text === undefined || text === '') return '';
  const lines = text.replaceAll('*/', '*∕').split('\n');
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => (line === '' ? ' *' : ` * ${line}`)).join('\n')}\n */\n`;
}
