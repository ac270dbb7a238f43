import { OPERATIONS } from '@firmquote/api/operations/index';
import { TAGS, type TagName } from '@firmquote/api/tags';
import { inWords, isOperators, type OpenApi, urlOfOperation } from './operation-pages.ts';

/** What the page that sends requests shows: the OpenAPI document, made for trying. */

/** Whom tokens are for; they differ from one installation to the next. */
export interface Audiences {
  readonly customer: string;
  readonly operator: string;
}

/** Ids in addresses that the page fills in from the last answer that had one. */
const LAST: Readonly<Record<string, string>> = { quoteId: 'last-quote', transactionId: 'last-transaction' };

const HOW = [
  'Requests are sent to the server that this page comes from. In the sandbox they trade, with simulated money.',
  '',
  '1. Under **Authentication**, paste the client id and the client secret (the sandbox keeps both in `data/sandbox.json`, under `customer`), and press **Authorize**.',
  '2. Open [Request a firm quote](#tag/quotes/POST/v1/customer/quotes), press **Test Request**, then **Send**.',
  '3. Within 30 seconds, do the same with [Execute a quote](#tag/quotes/POST/v1/customer/quotes/{quoteId}/execute): `last-quote` stands for the quote that came last.',
  '4. See the result with [the transaction](#tag/transactions/GET/v1/customer/transactions/{transactionId}).',
  '',
  'To read about the API, see the [guides](/docs/) and the [reference](/docs/api). Programs find it described at [/openapi.json](/openapi.json).',
].join('\n');

/** @param document the committed one; it stays as it is */
export function tryDocument(document: OpenApi, audiences: Audiences): OpenApi {
  const own = structuredClone(document) as OpenApi & Record<string, unknown>;
  const info = own.info as object;
  const tags = Object.keys(TAGS) as TagName[];
  const customers = tags.filter((tag) => !isOperators(tag) && tag !== 'Sandbox');
  for (const operation of OPERATIONS) addTo(operation, own);
  for (const [name, last] of Object.entries(LAST)) {
    const parameter = own.components.parameters[name];
    if (parameter === undefined) throw new Error(`There is no parameter ${name}`);
    Object.assign(parameter.schema, { examples: [last], default: last });
  }
  return Object.assign(own, {
    info: { ...info, title: 'Try requests', description: HOW },
    tags: tags.map((name) => ({ name, description: TAGS[name], 'x-displayName': inWords(name) })),
    'x-tagGroups': [
      { name: 'For customers', tags: customers },
      { name: 'Simulated world', tags: ['Sandbox'] },
      { name: 'For operators', tags: tags.filter(isOperators) },
    ],
    components: {
      ...own.components,
      securitySchemes: {
        customer: tokenOf(audiences.customer, 'A token of a customer.'),
        operator: tokenOf(audiences.operator, 'A token of an operator.'),
      },
    },
  });
}

/**
 * The token endpoint wants to know whom a token is for. No scopes are offered: a token has all of its client's unless it is
 * asked for fewer, and one for the first request alone would not do for the next.
 */
function tokenOf(audience: string, description: string) {
  const flow = { tokenUrl: '/oauth/token', scopes: {}, 'x-scalar-security-body': { audience } };
  return { type: 'oauth2', description, flows: { clientCredentials: flow } };
}

function addTo(operation: (typeof OPERATIONS)[number], document: OpenApi): void {
  const entry = document.paths[operation.path]?.[operation.method.toLowerCase()];
  if (entry === undefined) throw new Error(`${operation.id} is not in the document`);
  const { access, description } = operation;
  const about = `[About this operation](${urlOfOperation(operation)})${access && access.anyScope !== true ? `, which needs the scope \`${access.scope}\`` : ''}.`;
  Object.assign(entry, {
    description: description === undefined ? about : `${description}\n\n${about}`,
    security: access ? [{ [access.audience]: [] }] : [],
  });
}

/** Ids that came last. They stay in the page. */
interface Lasting {
  lastIds?: Record<string, string>;
}

/** A request that is about to be made. */
interface Building {
  readonly requestBuilder: { readonly path: { readonly variables: Record<string, string> } };
}

/** Runs in the page, before a request: it is sent there as its text and knows nothing of this file. */
export const fillLast = ({ requestBuilder }: Building): void => {
  const { lastIds = {} } = globalThis as Lasting;
  const { variables } = requestBuilder.path;
  for (const [name, value] of Object.entries(variables)) {
    const last = lastIds[name];
    if (value.startsWith('last-') && last !== undefined) variables[name] = last;
  }
};

/** Runs in the page as well, after each answer. */
export const keepLast = async ({ response }: { response: Response }): Promise<void> => {
  if (!response.ok || !response.headers.get('content-type')?.startsWith('application/json')) return;
  const answer = (await response.json()) as Record<string, string> | null;
  const page = globalThis as Lasting;
  page.lastIds ??= {};
  for (const name of ['quoteId', 'transactionId']) if (answer?.[name]) page.lastIds[name] = answer[name];
};
