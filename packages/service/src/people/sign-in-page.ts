import { inlineSources, policyOf } from '../platform/security-headers.ts';
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
  /** What went wrong with the last attempt. */
  readonly problem: string | undefined;
}

const STYLE = `
:root { color-scheme: light dark; --ink: #16202b; --paper: #fff; --line: #667; --accent: #0b5cad; --on-accent: #fff; --warn: #8a1c1c }
@media (prefers-color-scheme: dark) { :root { --ink: #e8edf2; --paper: #11181f; --line: #8a97a5; --accent: #7cb8f5; --on-accent: #08121c; --warn: #ff9a8f } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 26rem; margin: 12vh auto 4rem; padding: 0 1.25rem }
h1 { font-size: 1.5rem; margin: 0 0 1rem }
form, p { margin: 0 0 .75rem }
button, .button { display: block; width: 100%; min-height: 2.75rem; padding: .6rem 1rem; border: 1px solid var(--line); border-radius: .4rem;
  background: transparent; color: inherit; font: inherit; text-align: left; text-decoration: none; cursor: pointer }
.first { background: var(--accent); border-color: var(--accent); color: var(--on-accent) }
button:focus-visible, .button:focus-visible, input:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
label { display: block; margin-bottom: .25rem }
input { width: 100%; min-height: 2.75rem; padding: .5rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--paper); color: inherit; font: inherit }
small { display: block; opacity: .85 }
.problem { border-left: .25rem solid var(--warn); padding-left: .75rem; color: var(--warn) }
`;

/** A page with the policy that it needs and nothing more. */
export interface Page {
  readonly html: string;
  readonly policy: string;
}

export function signInPage(view: SignInView): Page {
  const { held, person, fresh } = view;
  if (held !== undefined && person !== undefined && !fresh) return signedInPage(held, person);
  const title = fresh ? 'Sign in again' : 'Sign in';
  return page(title, [
    problemPart(view.problem),
    fresh ? '<p>What you are about to do takes a fresh sign-in.</p>' : '',
    ...waysIn(view),
  ]);
}

function problemPart(problem: string | undefined): string {
  return problem === undefined ? '' : `<p class="problem" role="alert">${escaped(problem)}</p>`;
}

function waysIn({ provider, ready, returnTo, fresh }: SignInView): string[] {
  const goOn = `return_to=${encodeURIComponent(returnTo)}${fresh ? '&fresh=true' : ''}`;
  return [
    provider === undefined
      ? ''
      : `<p><a class="button first" href="/auth/oidc/start?${escaped(goOn)}">Continue with ${escaped(provider)}</a></p>`,
    ready.length === 0 ? '' : '<p>This is a sandbox. Choose whom you are:</p>',
    ...ready.map(
      ({ email, name, roles }) => `<form method="post" action="/auth/sandbox">
<input type="hidden" name="return_to" value="${escaped(returnTo)}">
<button name="email" value="${escaped(email)}">${escaped(name)} <small>${escaped(roles.join(', '))}</small></button>
</form>`,
    ),
  ];
}

function signedInPage({ secret }: HeldSession, { name, email, roles }: PersonRecord): Page {
  return page(`Signed in as ${name}`, [
    `<p>${escaped(email)}<small>${escaped(roles.join(', ') || 'no roles')}</small></p>`,
    `<form method="post" action="/auth/sign-out">
<input type="hidden" name="csrf_token" value="${csrfToken(secret)}">
<button>Sign out</button>
</form>`,
  ]);
}

function page(title: string, parts: readonly string[], onward?: string): Page {
  const refresh =
    onward === undefined ? '' : `<meta http-equiv="refresh" content="0;url=${escaped(onward)}">`;
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">${refresh}
<title>${escaped(title)} · Firmquote</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${parts.filter((part) => part !== '').join('\n')}
</main>
</body>
</html>
`;
  return { html, policy: POLICY };
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
  return page('Signed in', [`<p><a class="button first" href="${escaped(path)}">Continue</a></p>`], path);
}
