import type { Operation } from '@firmquote/api/operation';

/** Requests of the reference, in the words of each tool. */

export interface Snippet {
  readonly language: 'sh' | 'ts' | 'python';
  readonly code: string;
}

/** Ids in addresses, as the quickstart names them. */
const VARIABLES: Readonly<Record<string, string>> = {
  quoteId: 'QUOTE',
  transactionId: 'TXN',
};

export function variableOf(parameter: string): string {
  return VARIABLES[parameter] ?? parameter.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

export function snippetsOf(operation: Operation): Snippet[] {
  return [{ language: 'sh', code: curl(operation) }];
}

function curl(operation: Operation): string {
  const { method, path, access, query, example, body, media, key, bodyMedia } = operation;
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${variableOf(name)}`);
  const needed = Object.entries(query ?? {})
    .filter(([, { isRequired }]) => isRequired)
    .map(([name]) => `${name}=$${variableOf(name)}`);
  const url = `"$BASE${address}${needed.length > 0 ? `?${needed.join('&')}` : ''}"`;
  const sent = example?.body ?? (body === undefined || method === 'GET' ? undefined : {});
  const options = [
    ...(method === 'GET' || (method === 'POST' && (sent !== undefined || bodyMedia !== undefined))
      ? []
      : [`-X ${method}`]),
    ...(media === 'event-stream' ? ['-N'] : []),
    ...(access === undefined
      ? []
      : [`-H "Authorization: Bearer $${access.audience === 'customer' ? 'TOKEN' : 'OPERATOR'}"`]),
    ...(key === 'own' || key === 'demanded' ? ['-H "Idempotency-Key: $(date +%s)"'] : []),
    ...(bodyMedia !== undefined
      ? [`-H 'Content-Type: ${bodyMedia[0]}'`, '--data-binary @file']
      : sent === undefined
        ? []
        : ["-H 'Content-Type: application/json'", `-d '${JSON.stringify(sent)}'`]),
  ];
  return ['curl -sS', url, ...options]
    .join(options.length > 2 ? ' \\\n  ' : ' ')
    .replace('curl -sS \\\n  "', 'curl -sS "');
}
