import type { Cli } from '../cli.ts';
import { usage } from '../errors.ts';
import { write } from '../io.ts';
import { described, type Register } from '../kit.ts';
import { callOperation, printAnswer } from '../operations/call.ts';
import { addFlags, parseJson, readInput, type Values } from '../operations/flags.ts';
import { isWrite, type Operation, operationOf, operations } from '../operations/table.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const API_HELP = `
-F turns true, false, null and whole numbers into JSON, and @file into the content of a file; -f keeps text as it is. Amounts
are text: -f amount=1000.00. A name can be nested: -f account[iban]=DE89…, -f scopes[]=quotes:read. With GET the
fields are the query.

  firmquote api GET /v1/customer/transactions -f status=settled --paginate
  firmquote api POST /v1/customer/quotes -f sellCurrency=EUR -f buyCurrency=USD -f fixedSide=sell -f amount=1000.00
  echo '{"advanceSeconds":3600}' | firmquote api POST /v1/sandbox/clock --input -`;

export const api: Register = (group, kit) => {
  const collect = (value: string, before: string[] | undefined) => [...(before ?? []), value];
  group
    .argument('<method>', METHODS.join(', '))
    .argument('<path>', '/v1/…')
    .option(
      '-F, --field <name=value>',
      'A member of the body or query; JSON where it looks like JSON',
      collect,
    )
    .option('-f, --raw-field <name=value>', 'The same as plain text', collect)
    .option('--input <file>', 'The whole body from a file; - is stdin')
    .option('-H, --header <name:value>', 'A header', collect)
    .option('-i, --include', 'Print status and headers too, on stderr')
    .option('--paginate', 'Follow nextCursor, and print the items of all pages')
    .option('--content-type <type>', 'Media type of --input', 'application/json')
    .option('--as-operator', 'Use the operator of a sandbox profile for what only operators may do')
    .option('--save <file>', 'Write the answer to a file')
    .addHelpText('after', API_HELP)
    .action(
      kit.run((cli, [method, path], options) =>
        sendRaw(cli, String(method).toUpperCase(), String(path), options),
      ),
    );
};

async function sendRaw(cli: Cli, method: string, path: string, options: Values): Promise<void> {
  if (!METHODS.includes(method))
    throw usage(`“${method}” is not a method.`, `Methods: ${METHODS.join(', ')}.`);
  if (!path.startsWith('/'))
    throw usage(
      'The path must begin with /.',
      'For example /v1/customer/quotes; the address comes from the profile.',
    );
  const [bare = '', search = ''] = path.split('?');
  const fields = await membersOf(cli, options);
  const isRead = method === 'GET' || method === 'DELETE';
  const body =
    typeof options.input === 'string'
      ? await inputOf(cli, options)
      : isRead || fields === undefined
        ? undefined
        : fields;
  const query = {
    ...parametersOf(search),
    ...(isRead || typeof options.input === 'string' ? fields : {}),
  };
  const operation = rawOperation(method, bare, String(options.contentType));
  const service = await cli.service(
    operation.audience ?? (options.asOperator === true ? 'operator' : undefined),
  );
  const filled = { path: [], query, body, headers: headersOf(options.header as string[] | undefined) };
  if (options.paginate === true) {
    if (method !== 'GET') throw usage('--paginate works with GET only.');
    return cli.print.many(service.items(operation, filled, 200));
  }
  if (isWrite(operation)) await service.confirmWrite(`${method} ${bare}`);
  const answer = await service.send(operation, filled, {
    isFile: options.save !== undefined || operation.answers.length === 0,
  });
  if (options.include === true) {
    const lines = [...answer.headers].map(([name, value]) => `${name}: ${value}\n`);
    await write(cli.io.stderr, `HTTP ${answer.status}\n${lines.join('')}\n`);
  }
  await printAnswer(cli, answer.data, { save: options.save });
}

/** A parameter that is given more than once has several values. */
function parametersOf(search: string): Record<string, unknown> {
  const given = new URLSearchParams(search);
  return Object.fromEntries(
    [...new Set(given.keys())].map((name) => {
      const values = given.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

/** What is known of the operation behind a path; of one that nobody knows, what its path says. */
function rawOperation(method: string, path: string, contentType: string): Operation {
  const known = [...operations().values()].find(
    (each) => each.method === method && pattern(each.path).test(path),
  );
  const audience = /^\/v1\/(operator|sandbox)\//.test(path)
    ? 'operator'
    : /^\/v1\/customer\//.test(path)
      ? 'customer'
      : undefined;
  return {
    id: known?.id ?? 'api',
    method: method as Operation['method'],
    path,
    tag: '',
    summary: `${method} ${path}`,
    ...(known?.audience === undefined
      ? audience === undefined
        ? {}
        : { audience }
      : { audience: known.audience }),
    ...(known?.keyed === true || (known === undefined && method === 'POST') ? { keyed: true } : {}),
    ...(known?.changesNothing === true && { changesNothing: true }),
    params: [],
    query: [],
    headers: [],
    body: { media: known?.body?.media ?? contentType, required: false, fields: [] },
    answers:
      known === undefined || known.answers.includes('application/json') || known.answers.length === 0
        ? ['application/json']
        : [],
  };
}

function pattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

async function inputOf(cli: Cli, { input, contentType }: Values): Promise<unknown> {
  const bytes = await readInput(cli.io, String(input));
  return contentType === 'application/json'
    ? parseJson(new TextDecoder().decode(bytes), String(input))
    : bytes;
}

async function membersOf(
  cli: Cli,
  { field, rawField }: Values,
): Promise<Record<string, unknown> | undefined> {
  const typed = await Promise.all(
    ((field as string[] | undefined) ?? []).map(async (text) =>
      memberOf(text, (value) => typedValue(cli, value)),
    ),
  );
  const raw = await Promise.all(
    ((rawField as string[] | undefined) ?? []).map(async (text) => memberOf(text, async (value) => value)),
  );
  if (typed.length + raw.length === 0) return undefined;
  const body: Record<string, unknown> = {};
  for (const [names, value] of [...typed, ...raw]) place(body, names, value);
  return body;
}

async function memberOf(
  text: string,
  read: (value: string) => Promise<unknown>,
): Promise<readonly [readonly string[], unknown]> {
  const at = text.indexOf('=');
  const name = text.slice(0, at);
  if (at < 1 || !/^[^[\]]+(\[[^[\]]*\])*$/.test(name))
    throw usage(
      `“${name === '' ? text : name}” is not name=value.`,
      'For example -f amount=1000.00, -f account[iban]=DE89….',
    );
  const names = name.split('[').map((part) => part.replace(/\]$/, ''));
  if (names.some((part) => part === '__proto__')) throw usage('That is not a valid member name.');
  return [names, await read(text.slice(at + 1))];
}

async function typedValue(cli: Cli, text: string): Promise<unknown> {
  if (text.startsWith('@')) return new TextDecoder().decode(await readInput(cli.io, text.slice(1)));
  return /^(true|false|null|-?(0|[1-9]\d{0,14}))$/.test(text) ? JSON.parse(text) : text;
}

/** `a[b]` leads inside, `a[]` to the end of a list. */
function place(
  target: Record<string, unknown>,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): void {
  const [next] = rest;
  if (next === undefined) target[name] = value;
  else if (next === '' && rest.length === 1)
    target[name] = [...((target[name] as unknown[] | undefined) ?? []), value];
  else {
    const inner = (target[name] ?? {}) as Record<string, unknown>;
    target[name] = inner;
    place(inner, rest, value);
  }
}

function headersOf(given: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    given.map((text) => {
      const at = text.indexOf(':');
      if (at < 1) throw usage(`--header takes name:value, not “${text}”.`);
      return [text.slice(0, at).trim(), text.slice(at + 1).trim()];
    }),
  );
}

export const call: Register = (group, kit) => {
  group
    .argument('[operation]', 'Name of the operation; its arguments follow')
    .option('--list', 'List all operations')
    .action(
      kit.run(async (cli, [name], { list }) => {
        if (name !== undefined) operationOf(String(name));
        if (list !== true)
          throw usage(
            'Name an operation.',
            'firmquote call --list shows them; firmquote call <operation> --help shows what each takes.',
          );
        const rows = [...operations().values()].map(({ id, method, path, audience, scope, summary }) => ({
          operation: id,
          method,
          path,
          audience: audience ?? 'anybody',
          scope: scope ?? null,
          summary,
        }));
        await cli.print.many(rows, { columns: ['operation', 'audience', 'method', 'path', 'summary'] });
      }),
    );
  // The help would be 250 lines long.
  for (const operation of operations().values()) {
    const command = addFlags(group.command(operation.id, { hidden: true }), operation);
    command.summary(operation.summary).description(described(operation.summary, operation.description));
    command.addHelpText(
      'after',
      `\n${operation.method} ${operation.path}${operation.scope === undefined ? '' : `   scope ${operation.scope}`}`,
    );
    command.action(kit.run((cli, args, options) => callOperation(cli, operation, args as string[], options)));
  }
};
