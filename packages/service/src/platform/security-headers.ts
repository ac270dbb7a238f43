import { hash } from 'node:crypto';

/** How long browsers speak to this name over TLS only. */
const TLS_ONLY_SECONDS = 365 * 24 * 3_600;

/**
 * Headers of every answer, unless its route says otherwise. Nothing here is a page: whatever a browser takes an answer for, it
 * runs and loads nothing, stands in no frame, tells no address to others, and is kept by nobody.
 * @param isOverTls the public address is an https one; the connection itself may come from a proxy without
 */
export function securityHeaders(isOverTls: boolean): Readonly<Record<string, string>> {
  return {
    'x-content-type-options': 'nosniff',
    'content-security-policy': policyOf({}),
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    ...(isOverTls ? { 'strict-transport-security': `max-age=${TLS_ONLY_SECONDS}` } : {}),
  };
}

/**
 * Of pages with forms. Under the policy of everything else browsers hide where a form comes from, `Origin: null`, and it would be
 * taken for one of another site.
 */
export const TELLS_OWN_SITE = { 'Referrer-Policy': 'same-origin' } as const;

/** A Content-Security-Policy that allows what is named and nothing else. */
export function policyOf(allowed: Readonly<Record<string, string>>): string {
  const directives = {
    'default-src': "'none'",
    ...allowed,
    'base-uri': "'none'",
    'form-action': allowed['form-action'] ?? "'none'",
    'frame-ancestors': "'none'",
  };
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
}

/** The elements of a page that hold scripts or styles of its own, as sources that a policy allows. */
export function inlineSources(html: string, element: 'script' | 'style'): string {
  const contents = html.matchAll(
    new RegExp(`<${element}(?![^>]*\\ssrc=)[^>]*>([\\s\\S]*?)</${element}>`, 'g'),
  );
  return [...contents].map(([, text = '']) => `'sha256-${hash('sha256', text, 'base64')}'`).join(' ');
}
