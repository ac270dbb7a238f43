import { Problem, validationProblem } from '../problems/problem.ts';

/** What {@link parseIfMatch} answers for a well-formed tag that is none of ours: no resource has this version. */
export const NO_SUCH_VERSION = -1;

/** Longest `Prefer: wait` that is granted, in seconds (docs/interface.md#polling). */
const MAX_WAIT_SECONDS = 30; // limit: Longest `Prefer: wait` that is granted

// RFC 9110 §8.8.3: an opaque tag may hold commas, so a list cannot simply be split at them.
const ENTITY_TAG = /[ \t]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*(,|$)/y;
const OUR_TAG = /^v([1-9]\d{0,9})$/;
/** Of a column of the database: a larger one would not be another version there, but an error. */
const LARGEST_VERSION = 2 ** 31 - 1;

interface EntityTag {
  readonly weak: boolean;
  /** What stands between the quotes. */
  readonly tag: string;
}

/** The strong entity tag of a version: `"v7"`, quotes included. */
export function etagOf(version: number): string {
  return `"v${version}"`;
}

/**
 * True when `If-None-Match` covers the version, so that the answer is 304. Compares weakly, as RFC 9110 §13.1.2
 * demands; a header that cannot be read does not match, and the caller simply gets the full answer.
 */
export function ifNoneMatch(header: string | undefined, version: number): boolean {
  return hasTag(header, `v${version}`);
}

/** The same for what has no version: `tag` is what stands between the quotes of its `ETag`. */
export function hasTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header === `"${tag}"` || header.trim() === '*') return true;
  return parseTags(header)?.some((each) => each.tag === tag) ?? false;
}

/**
 * The version that `If-Match` demands: a number, `*` for any, undefined without the header.
 * Comparison is strong (RFC 9110 §13.1.1), so a weak or foreign tag is {@link NO_SUCH_VERSION}, which ends in 412.
 * @throws Problem validation_failed when it is not an entity tag, or several different ones
 */
export function parseIfMatch(header: string | undefined): number | '*' | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  const tags = parseTags(header);
  if (tags === undefined) {
    throw headerProblem(
      'wrong_format',
      'must be the ETag of the last answer with its quotes, such as "v7", or *',
    );
  }
  const versions = new Set(tags.map(({ weak, tag }) => (weak ? NO_SUCH_VERSION : versionOf(tag))));
  const [version] = versions;
  if (versions.size !== 1 || version === undefined) {
    throw headerProblem('too_many', 'must name exactly one version');
  }
  return version;
}

/** @throws Problem version_mismatch with `currentVersion` when the resource is not what the caller has seen */
export function requireVersion(wanted: number | '*' | undefined, current: number): void {
  if (wanted === undefined || wanted === '*' || wanted === current) return;
  throw new Problem('version_mismatch', `The current version is ${current}.`, {
    members: { currentVersion: current },
    headers: { ETag: etagOf(current) },
  });
}

/**
 * Seconds of `Prefer: wait=N` (RFC 7240 §4.3), at most {@link MAX_WAIT_SECONDS}. A preference is never an error: what
 * cannot be read is ignored, and of several the first counts (§2).
 */
export function preferredWait(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  for (const preference of header.split(',')) {
    const match = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(;|$)/i.exec(preference);
    if (match?.[1] !== undefined) return Math.min(Number.parseInt(match[1], 10), MAX_WAIT_SECONDS);
    if (/^\s*wait\s*(=|;|$)/i.test(preference)) return undefined;
  }
  return undefined;
}

/** The tags of a list, or undefined when it is not one. */
function parseTags(header: string): EntityTag[] | undefined {
  const tags: EntityTag[] = [];
  ENTITY_TAG.lastIndex = 0;
  while (ENTITY_TAG.lastIndex < header.length) {
    const match = ENTITY_TAG.exec(header);
    if (match === null) return undefined;
    tags.push({ weak: match[1] !== undefined, tag: match[2] ?? '' });
  }
  return tags.length > 0 && !/,\s*$/.test(header) ? tags : undefined;
}

/** The version that a tag names, when it is one of ours. */
function versionOf(tag: string): number {
  const digits = OUR_TAG.exec(tag)?.[1];
  const version = digits === undefined ? NO_SUCH_VERSION : Number.parseInt(digits, 10);
  return version > LARGEST_VERSION ? NO_SUCH_VERSION : version;
}

function headerProblem(code: string, detail: string): Problem {
  return validationProblem([{ pointer: '/header/If-Match', code, detail }]);
}
