import { isoInstant } from '../platform/clock.ts';
import { typeId } from '../platform/ids.ts';
import { inlineSources, policyOf } from '../platform/security-headers.ts';
import type { PasskeyRecord } from './passkey-store.ts';
import type { PasskeyPlace } from './passkeys.ts';
import type { HeldSession } from './session-authenticator.ts';
import { csrfToken } from './sessions.ts';
import type { PersonRecord } from './store.ts';

/** What the page for signing in shows. */
interface SignInView {
  readonly held: HeldSession | undefined;
  readonly person: PersonRecord | undefined;
  /** The person is asked to sign in again. */
  readonly fresh: boolean;
  readonly returnTo: string;
  /** Ready persons of a sandbox; none elsewhere. */
  readonly ready: readonly {
    readonly email: string;
    readonly name: string;
    readonly roles: readonly string[];
  }[];
  /** What the provider is called, where there is one. */
  readonly provider: string | undefined;
  /** Where passkeys are good, if anywhere. */
  readonly passkeys: PasskeyPlace | undefined;
  /** Ways in of the person who has signed in. */
  readonly own:
    | { readonly passkeys: readonly PasskeyRecord[]; readonly recoveryCodesLeft: number }
    | undefined;
  /** What went wrong with the last attempt. */
  readonly problem: string | undefined;
}

/** What the pages with passkeys run. */
export const SCRIPT_PATH = '/auth/passkeys.js';
export const RECOVERY_PATH = '/login/recovery';

const STYLE = `
:root { color-scheme: light dark; --ink: #16202b; --soft: #4c5a68; --paper: #fff; --ground: #eef1f4; --line: #8795a3; --hair: #d5dce3;
  --accent: #0b5cad; --on-accent: #fff; --warn: #8a1c1c; --good: #1d6b3a }
@media (prefers-color-scheme: dark) { :root { --ink: #e8edf2; --soft: #a9b6c3; --paper: #18212a; --ground: #0e141a; --line: #7c8b99; --hair: #2d3945;
  --accent: #7cb8f5; --on-accent: #08121c; --warn: #ff9a8f; --good: #86d6a2 } }
* { box-sizing: border-box }
[hidden] { display: none !important }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
header, main { max-width: 28rem; margin: 0 auto }
header { padding: 9vh 1.75rem 1rem; color: var(--soft); font-weight: 600 }
main { padding: 1.75rem; background: var(--paper); border: 1px solid var(--hair); border-radius: .75rem; margin-bottom: 4rem }
@media (max-width: 30rem) { header { padding-top: 1.5rem } main { border-width: 1px 0; border-radius: 0 } }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem }
h2 { font-size: 1.05rem; margin: 1.75rem 0 .5rem }
form, p, ul, ol { margin: 0 0 1rem }
button, .button { display: block; width: 100%; min-height: 2.75rem; padding: .6rem 1rem; margin: 0 0 .75rem; border: 1px solid var(--line); border-radius: .4rem;
  background: transparent; color: inherit; font: inherit; text-align: center; text-decoration: none; cursor: pointer }
form button { margin-bottom: 0 }
button:hover, .button:hover { border-color: var(--accent) }
button:disabled { opacity: .6; cursor: default }
.first { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600 }
.small { width: auto; min-height: 2rem; padding: .2rem .75rem; margin: 0 }
.row { display: flex; gap: .75rem; flex-wrap: wrap }
.row > * { flex: 1 1 8rem; margin-bottom: .75rem }
a { color: var(--accent) }
a.button { color: inherit }
a.first { color: var(--on-accent) }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
label { display: block; margin-bottom: .25rem; font-weight: 600 }
input[type=text] { width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--line); border-radius: .4rem; background: transparent; color: inherit; font: inherit }
.field { margin-bottom: 1rem }
.check { display: flex; gap: .6rem; align-items: flex-start; font-weight: 400; margin-bottom: 1rem }
.check input { width: 1.2rem; height: 1.2rem; margin: .15rem 0 0; accent-color: var(--accent) }
small, .quiet { color: var(--soft) }
small { display: block }
.problem { border-left: .25rem solid var(--warn); padding-left: .75rem; color: var(--warn) }
.list { list-style: none; padding: 0 }
.list li { display: flex; gap: .75rem; align-items: center; padding: .6rem 0; border-bottom: 1px solid var(--hair) }
.list li > span { flex: 1; overflow-wrap: anywhere }
.codes { list-style: none; font: .8rem/2 ui-monospace, monospace; border: 1px solid var(--hair); border-radius: .4rem; padding: .5rem .9rem; overflow-wrap: anywhere }
@media print { header, button, .button, .check, .quiet { display: none !important } body, main { background: #fff; border: 0; color: #000 } }
`;

/** A page with the policy that it needs and nothing more. */
export interface Page {
  readonly html: string;
  readonly policy: string;
}

export function signInPage(view: SignInView): Page {
  const { held, person, fresh } = view;
  if (held !== undefined && person !== undefined && !fresh) return signedInPage(held, person, view);
  const title = fresh ? 'Sign in again' : 'Sign in';
  const parts = [
    problemPart(view.problem),
    fresh ? '<p>What you are about to do needs a fresh sign-in.</p>' : '',
    ...waysIn(view),
  ];
  return page(title, parts, view.passkeys && { does: 'sign-in', place: view.passkeys, view });
}

function problemPart(problem: string | undefined): string {
  return problem === undefined ? '' : `<p class="problem" role="alert">${escaped(problem)}</p>`;
}

function waysIn({ provider, passkeys, ready, returnTo, fresh }: SignInView): string[] {
  const goOn = `return_to=${encodeURIComponent(returnTo)}${fresh ? '&fresh=true' : ''}`;
  const first = provider === undefined ? ' class="first"' : '';
  return [
    provider === undefined
      ? ''
      : `<p><a class="button first" href="/auth/oidc/start?${escaped(goOn)}">Continue with ${escaped(provider)}</a></p>`,
    passkeys === undefined
      ? ''
      : `<button type="button" id="begin"${first}>Sign in with a passkey</button>
<p class="quiet"><a href="${RECOVERY_PATH}">I have lost my passkeys</a></p>`,
    ready.length === 0 ? '' : '<h2>This is a sandbox</h2>\n<p>Choose who you are:</p>',
    ...ready.map(
      ({ email, name, roles }) => `<form method="post" action="/auth/sandbox">
<input type="hidden" name="return_to" value="${escaped(returnTo)}">
<button name="email" value="${escaped(email)}">${escaped(name)} <small>${escaped(roles.join(', '))}</small></button>
</form>`,
    ),
  ];
}

function signedInPage(
  { secret }: HeldSession,
  { name, email, roles }: PersonRecord,
  { passkeys, own }: SignInView,
): Page {
  const parts = [
    `<p>${escaped(email)}<small>${escaped(roles.join(', ') || 'no roles')}</small></p>`,
    ...(passkeys === undefined || own === undefined ? [] : ownParts(own)),
    `<form method="post" action="/auth/sign-out">
<input type="hidden" name="csrf_token" value="${csrfToken(secret)}">
<button>Sign out</button>
</form>`,
  ];
  return page(`Signed in as ${name}`, parts, passkeys && { does: 'own', place: passkeys });
}

function ownParts({ passkeys, recoveryCodesLeft }: NonNullable<SignInView['own']>): string[] {
  const left = recoveryCodesLeft === 1 ? '1 recovery code is' : `${recoveryCodesLeft} recovery codes are`;
  return [
    `<h2 id="passkeys">Your passkeys</h2>
${passkeys.length === 0 ? '<p>You have none.</p>' : `<ul class="list" aria-labelledby="passkeys">\n${passkeys.map(passkeyPart).join('\n')}\n</ul>`}
<form id="add">
${nameField()}
<button>Add a passkey</button>
</form>
<h2>Recovery codes</h2>
<p>${left} left. If you lose all passkeys, one code lets you create a new one.</p>
<button type="button" id="renew">Create new recovery codes</button>`,
    codesPart(),
    '<h2>This session</h2>',
  ];
}

function passkeyPart({ id, name, createdAt, lastUsedAt }: PasskeyRecord): string {
  const used = lastUsedAt === null ? 'not used yet' : `last used ${day(lastUsedAt)}`;
  return `<li><span>${escaped(name)}<small>created ${day(createdAt)}, ${used}</small></span>
<button type="button" class="small" data-remove="${typeId('pky', id)}" aria-label="Remove the passkey ${escaped(name)}">Remove</button></li>`;
}

const day = (instant: number) => isoInstant(instant).slice(0, 10);

/** Where somebody who was invited makes its first passkey. What the link holds never leaves the browser but in a body. */
export function invitationPage(place: PasskeyPlace): Page {
  const parts = [
    `<p id="who">Checking your invitation…</p>
<form id="make" hidden>
<p>You sign in with a passkey: your device asks for your fingerprint, face or PIN. There is no password to remember.</p>
${nameField()}
<button class="first">Create a passkey</button>
</form>`,
    codesPart(),
  ];
  return page('Welcome to Firmquote', parts, { does: 'invitation', place });
}

/** Where somebody who has lost its passkeys makes another one. */
export function recoveryPage(place: PasskeyPlace): Page {
  const parts = [
    `<p>A recovery code lets you create one new passkey. All your sessions end, and other operators are notified.</p>
<form id="make">
<div class="field"><label for="code">Recovery code</label>
<input type="text" id="code" name="code" required autocomplete="off" autocapitalize="characters" spellcheck="false"></div>
${nameField()}
<button class="first">Create a passkey</button>
</form>
<p class="quiet">No codes left? Ask another operator to renew your invitation.</p>
<p class="quiet"><a href="/login">Back</a></p>`,
  ];
  return page('Sign in with a recovery code', parts, { does: 'recovery', place });
}

function nameField(): string {
  return `<div class="field"><label for="name">Name of the passkey</label>
<input type="text" id="name" name="name" value="This device" required maxlength="100" autocomplete="off"></div>`;
}

/** Empty until the codes are there. */
function codesPart(): string {
  return `<section id="codes" hidden>
<h2 id="codes-title" tabindex="-1">Your recovery codes</h2>
<p>Keep them somewhere safe. They are shown only once.</p>
<ol class="codes" aria-labelledby="codes-title"></ol>
<div class="row"><button type="button" id="copy">Copy</button><button type="button" id="print">Print</button></div>
<label class="check"><input type="checkbox" id="kept"> I have saved the codes</label>
<button type="button" class="first" id="on" disabled>Continue</button>
</section>`;
}

/** What the script on a page is there for. */
interface Script {
  readonly does: 'sign-in' | 'own' | 'invitation' | 'recovery';
  readonly place: PasskeyPlace;
  readonly view?: Pick<SignInView, 'fresh' | 'returnTo'>;
}

function page(title: string, parts: readonly string[], script?: Script, onward?: string): Page {
  const refresh =
    onward === undefined ? '' : `<meta http-equiv="refresh" content="0;url=${escaped(onward)}">`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">${refresh}
<title>${escaped(title)} · Firmquote</title>
<style>${STYLE}</style>${script === undefined ? '' : `\n<script src="${SCRIPT_PATH}" defer></script>`}
</head>
<body>
<header>Firmquote</header>
<main${script === undefined ? '' : dataOf(script)}>
<h1>${escaped(title)}</h1>
${parts.filter((part) => part !== '').join('\n')}
${script === undefined ? '' : '<p class="problem" role="alert" id="problem" hidden></p>\n<noscript><p class="problem">Passkeys need JavaScript.</p></noscript>'}
</main>
</body>
</html>
`;
  return { html, policy: POLICY };
}

function dataOf({ does, place, view }: Script): string {
  const data = {
    does,
    'rp-id': place.rpId,
    origin: place.origins[0] ?? '',
    ...(view && { fresh: String(view.fresh), 'return-to': view.returnTo }),
  };
  return Object.entries(data)
    .map(([name, value]) => ` data-${name}="${escaped(value)}"`)
    .join('');
}

const POLICY = policyOf({
  'style-src': inlineSources(`<style>${STYLE}</style>`, 'style'),
  'script-src': "'self'",
  'connect-src': "'self'",
  'form-action': "'self'",
});

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/**
 * Goes on at a path of this service. The browser goes there from a page of this service, and so shows the session, which it would
 * not on its way back from another site.
 */
export function onwardPage(path: string): Page {
  const parts = [`<p><a class="button first" href="${escaped(path)}">Continue</a></p>`];
  return page('Signed in', parts, undefined, path);
}
