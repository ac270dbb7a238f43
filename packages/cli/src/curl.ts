/** A word as a POSIX shell takes it back. */
export function shellQuoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

export interface Sketch {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or the name of what is sent. */
  readonly body: { readonly json: unknown } | { readonly file: string } | undefined;
  readonly needsToken: boolean;
}

/** The request as somebody could send it by hand. The token stays a variable of the shell. */
export function curlLine({ method, url, headers, body, needsToken }: Sketch): string {
  const parts = ['curl', '-sS'];
  if (method !== 'GET') parts.push('-X', method);
  parts.push(shellQuoted(url));
  if (needsToken) parts.push('-H', '"Authorization: Bearer $FIRMQUOTE_TOKEN"');
  for (const [name, value] of Object.entries(headers)) parts.push('-H', shellQuoted(`${name}: ${value}`));
  if (body !== undefined && 'json' in body) {
    parts.push(
      '-H',
      shellQuoted('Content-Type: application/json'),
      '-d',
      shellQuoted(JSON.stringify(body.json)),
    );
  } else if (body !== undefined) parts.push('--data-binary', shellQuoted(`@${body.file}`));
  return `${parts.join(' ')}\n`;
}
