/** Cookies of browsers. `__Host-` binds each to this host and to `Secure`: no other host, no subdomain and no plain connection sets it. */
export const SESSION_COOKIE = '__Host-firmquote-session';
/** Of the browser in which a sign-in has begun, until it has ended. */
export const SIGN_IN_COOKIE = '__Host-firmquote-sign-in';

/**
 * The value of a cookie.
 * @returns undefined without it; null where it is there more than once, so that nobody knows which one counts
 */
export function cookieValue(header: string | undefined, name: string): string | null | undefined {
  if (header === undefined || !header.includes(name)) return undefined;
  const values = header
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
    .map((part) => part.slice(name.length + 1));
  return values.length > 1 ? null : values[0];
}

/**
 * A `Set-Cookie` header. Nothing of the page can read the cookie, and it lasts as long as the browser does: when a session ends
 * is decided here.
 * @param sameSite `Lax` where another site sends the browser back here
 */
export function setCookie(name: string, value: string, sameSite: 'Strict' | 'Lax' = 'Strict'): string {
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=${sameSite}`;
}

export function clearCookie(name: string): string {
  return `${name}=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0`;
}
