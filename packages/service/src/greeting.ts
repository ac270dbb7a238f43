import type { Application } from './application.ts';

/**
 * What the start prints: where it listens and, in the sandbox, what is still changed there and a first trade to paste. No
 * secret is printed; the lines read them from `sandbox.json`.
 */
export function greeting(application: Application): string {
  const { localUrl, baseUrl, operatorUrl, consoleUrl, noSignIn, sandbox } = application;
  const lines = [`Console           ${consoleUrl}/console`, `Firmquote listens on ${localUrl}`];
  if (baseUrl !== localUrl) lines.push(`  Public address  ${baseUrl}`);
  if (operatorUrl !== undefined) lines.push(`  Operators       ${operatorUrl}`);
  if (noSignIn !== undefined) lines.push(`  No sign-in yet  ${noSignIn}`);
  if (sandbox === undefined) return `${lines.join('\n')}\n`;
  lines.push(
    `  Documentation   ${operatorUrl ?? baseUrl}/docs`,
    `  Credentials     ${sandbox.file}`,
    `  Command line    npm run -s firmquote -- login --sandbox ${shellQuoted(sandbox.file)}`,
    ...sandbox.changes.map(({ what }) => `  Still changed   ${what}`),
    '',
    'A first trade, to paste into another terminal:',
    '',
    tokens(sandbox.file),
    ...(sandbox.changes.length === 0 ? [] : [wayBack(sandbox.changes, operatorUrl), '']),
    firstTrade(),
  );
  return `${lines.join('\n')}\n`;
}

/** Needs a POSIX shell, curl and sed, nothing else. What goes wrong is shown, instead of leaving a variable empty. */
export function tokens(file: string): string {
  return `SANDBOX=${shellQuoted(file)}
setting() { sed -n "/\\"$1\\"/,\\$p" "$SANDBOX" | sed -n "s/^ *\\"\${2:-$1}\\": *\\"\\([^\\"]*\\)\\".*/\\1/p" | head -n 1; }
field() { answer=$(cat); value=$(printf '%s' "$answer" | sed -n "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/p"); [ -n "$value" ] && printf '%s\\n' "$value" || { printf 'No %s in this answer: %s\\n' "$1" "$answer" >&2; return 1; }; }
token() { printf '{"client_id":"%s","client_secret":"%s","audience":"%s","grant_type":"client_credentials"}' "$(setting "$1" clientId)" "$(setting "$1" clientSecret)" "$(setting audience)" | curl -sS "$(setting authUrl)/oauth/token" -H 'Content-Type: application/json' -d @- | field access_token; }
BASE=$(setting baseUrl) TOKEN=$(token customer) OPERATOR=$(token operator)
`;
}

/** With what {@link tokens} has set. */
export function firstTrade(): string {
  return `curl -sS "$BASE/v1/customer/quotes/indicative" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"sellCurrency":"USD","buyCurrency":"EUR","fixedSide":"sell","amount":"100000.00"}'; echo
QUOTE=$(curl -sS "$BASE/v1/customer/quotes" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"sellCurrency":"USD","buyCurrency":"EUR","fixedSide":"sell","amount":"100000.00"}' | field quoteId); echo "$QUOTE"
curl -sS "$BASE/v1/customer/quotes/$QUOTE" -H "Authorization: Bearer $TOKEN"; echo
TXN=$(curl -sS -X POST "$BASE/v1/customer/quotes/$QUOTE/execute" -H "Authorization: Bearer $TOKEN" | field transactionId); echo "$TXN"
sleep 12; curl -sS "$BASE/v1/customer/transactions/$TXN" -H "Authorization: Bearer $TOKEN"; echo
`;
}

/** Lines that bring the sandbox back to how it begins. */
function wayBack(
  changes: NonNullable<Application['sandbox']>['changes'],
  operatorUrl: string | undefined,
): string {
  const base = operatorUrl ?? '$BASE';
  return changes
    .map(
      ({ path, body }) =>
        `curl -sS "${base}${path}" -H "Authorization: Bearer $OPERATOR" -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'; echo`,
    )
    .join('\n');
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
