import type { Application } from './application.ts';
import { isoInstant } from './platform/clock.ts';

/**
 * What the start prints: where it listens and, in the sandbox, a first trade to paste. The secret is not printed; the
 * lines read it from `sandbox.json`.
 */
export function greeting(application: Application): string {
  const { localUrl, baseUrl, operatorUrl, sandbox, clockOffsetMs } = application;
  const lines = [`Firmquote listens on ${localUrl}`];
  if (baseUrl !== localUrl) lines.push(`  Public address  ${baseUrl}`);
  if (operatorUrl !== undefined) lines.push(`  Operators       ${operatorUrl}`);
  if (sandbox === undefined) return `${lines.join('\n')}\n`;
  lines.push(
    `  API reference   ${operatorUrl ?? baseUrl}/docs`,
    `  Credentials     ${sandbox.file}`,
    ...(clockOffsetMs === 0
      ? []
      : [
          `  Business time   ${isoInstant(Date.now() + clockOffsetMs)} (moved; POST /v1/sandbox/clock {"real":true} resets it)`,
        ]),
    '',
    'A first trade, to paste into another terminal:',
    '',
    firstTrade(sandbox.file),
  );
  return `${lines.join('\n')}\n`;
}

/** Needs a POSIX shell, curl and sed, nothing else. */
export function firstTrade(file: string): string {
  return `SANDBOX=${shellQuoted(file)}
setting() { sed -n "s/^ *\\"$1\\": *\\"\\([^\\"]*\\)\\".*/\\1/p" "$SANDBOX" | head -n 1; }
field() { sed -n "s/.*\\"$1\\":\\"\\([^\\"]*\\)\\".*/\\1/p"; }
BASE=$(setting baseUrl)
TOKEN=$(printf '{"client_id":"%s","client_secret":"%s","audience":"%s","grant_type":"client_credentials"}' "$(setting clientId)" "$(setting clientSecret)" "$(setting audience)" | curl -s "$(setting authUrl)/oauth/token" -H 'Content-Type: application/json' -d @- | field access_token)
curl -s "$BASE/v1/customer/quotes/indicative" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"sellCurrency":"USD","buyCurrency":"EUR","fixedSide":"sell","amount":"100000.00"}'; echo
QUOTE=$(curl -s "$BASE/v1/customer/quotes" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{"sellCurrency":"USD","buyCurrency":"EUR","fixedSide":"sell","amount":"100000.00"}' | field quoteId); echo "$QUOTE"
curl -s "$BASE/v1/customer/quotes/$QUOTE" -H "Authorization: Bearer $TOKEN"; echo
TXN=$(curl -s -X POST "$BASE/v1/customer/quotes/$QUOTE/execute" -H "Authorization: Bearer $TOKEN" | field transactionId); echo "$TXN"
sleep 12; curl -s "$BASE/v1/customer/transactions/$TXN" -H "Authorization: Bearer $TOKEN"; echo
`;
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
