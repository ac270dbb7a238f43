import { hash } from 'node:crypto';

/** An answer as text, with the headers by which a caller keeps it. */
interface Cacheable {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * What has no version of its own, with an ETag made of its content. `private`, because the answer depends on whose token asked.
 * @param maxAgeSeconds how long the caller may use it without asking again; 0 makes it ask each time
 */
export function cacheable(body: unknown, maxAgeSeconds: number): Cacheable {
  const text = JSON.stringify(body);
  return {
    text,
    headers: {
      ETag: `"${hash('sha256', text, 'base64url')}"`,
      'Cache-Control': maxAgeSeconds === 0 ? 'private, no-cache' : `private, max-age=${maxAgeSeconds}`,
      Vary: 'Authorization',
      'Content-Type': 'application/json; charset=utf-8',
    },
  };
}
