/**
 * The operator's logs, the audit trail and the journal, verified with nothing but what was exported: a tree of hashes (RFC 9162 §2.1)
 * over the lines, whose root the service has signed. Nothing here asks the service.
 */

/** For example `(bytes) => createHash('sha256').update(bytes).digest()` of `node:crypto`. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array;

/** The root of a log at a size. */
export interface LogRoot {
  readonly log: string;
  /** Rows. */
  readonly size: number;
  /** In hex. */
  readonly root: string;
}

/** A root as the service signs and lists it. */
export interface SignedLogRoot extends LogRoot {
  readonly jws: string;
}

/** What does not fit. */
export type LogFault =
  | 'altered'
  | 'missing'
  | 'inserted'
  | 'seal_wrong'
  | 'start_wrong'
  | 'head_wrong'
  | 'head_missing'
  | 'signature_wrong'
  | 'line_wrong'
  | 'earlier_wrong'
  | 'earlier_differs'
  | 'earlier_not_covered'
  | 'archive_wrong'
  | 'proof_wrong';

/** An export with rows that are no longer in the log. */
export interface ArchivedExport {
  readonly fromSize: number;
  readonly size: number;
  readonly root: string;
  /** Of the file, in hex. */
  readonly sha256: string;
  readonly exportedAt: string;
}

/** The rows up to this size: the service keeps their hashes, the exports have the rows. */
export interface Archived {
  readonly size: number;
  readonly exports: readonly ArchivedExport[];
}

export interface LogVerdict {
  readonly ok: boolean;
  readonly log?: string;
  /** Rows before those of the file; none if it begins with the first one. */
  readonly after?: number;
  /** Of those before the file: rows that were taken out of the service, and the exports that have them. */
  readonly archived?: Archived;
  /** Rows of the log up to the end of the file. */
  readonly rows: number;
  readonly root?: string;
  /** Whether one of the keys has signed it; undefined if no keys were given. */
  readonly signed?: boolean;
  /** The first thing that does not fit, and the row. */
  readonly fault?: LogFault;
  readonly row?: string;
}

export interface LogOptions {
  readonly sha256: Sha256;
  /** The service's `/.well-known/jwks.json`. Without it, signatures are not checked. */
  readonly keys?: { readonly keys: readonly object[] } | undefined;
  /** The root of an earlier export, which must be of the same log with the same rows. */
  readonly since?: LogRoot | undefined;
}

/** The media type of a signed root. */
export const LOG_HEAD_TYPE = 'log-head.v1+jws';
/** Of a row's hash, that a seal has. */
const FINGERPRINT_BYTES = 4;
const encoder = new TextEncoder();

/** @param line without the end of the line */
export function leafHash(sha256: Sha256, line: string): Uint8Array {
  const bytes = new Uint8Array(1 + line.length * 3);
  const { written } = encoder.encodeInto(line, bytes.subarray(1));
  return sha256(bytes.subarray(0, 1 + written));
}

export function nodeHash(sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(1 + left.length + right.length);
  bytes[0] = 1;
  bytes.set(left, 1);
  bytes.set(right, 1 + left.length);
  return sha256(bytes);
}

/** A tree that grows by leaves, of which it keeps no more than the roots of its whole subtrees. */
export class HashTree {
  readonly #sha256: Sha256;
  #size: number;
  /** The largest first: one for each bit of the size. */
  readonly #peaks: Uint8Array[];

  constructor(sha256: Sha256, size = 0, peaks: readonly Uint8Array[] = []) {
    this.#sha256 = sha256;
    this.#size = size;
    this.#peaks = [...peaks];
  }

  get size(): number {
    return this.#size;
  }

  get peaks(): readonly Uint8Array[] {
    return this.#peaks;
  }

  /** @param onNode is told of each subtree that is whole now: 1 for pairs of leaves, 2 for pairs of these */
  add(leaf: Uint8Array, onNode?: (level: number, place: number, hash: Uint8Array) => void): void {
    let node = leaf;
    let place = this.#size;
    for (let level = 1; place % 2 === 1; level++) {
      node = nodeHash(this.#sha256, this.#peaks.pop() as Uint8Array, node);
      place = (place - 1) / 2;
      onNode?.(level, place, node);
    }
    this.#peaks.push(node);
    this.#size++;
  }

  get root(): Uint8Array {
    const [last, ...rest] = this.#peaks.toReversed();
    if (last === undefined) return this.#sha256(new Uint8Array());
    return rest.reduce((right, left) => nodeHash(this.#sha256, left, right), last);
  }
}

/** A row as it is found, with its hash. */
export interface FoundRow {
  readonly key: string;
  readonly leaf: Uint8Array;
  readonly fingerprint: string;
}

/** The first row that is not the sealed one. */
export function firstOddity(
  sealed: readonly string[],
  found: readonly FoundRow[],
): { readonly fault: 'altered' | 'missing' | 'inserted'; readonly key: string | undefined } | undefined {
  const at = sealed.findIndex((fingerprint, i) => fingerprint !== found[i]?.fingerprint);
  if (at < 0) {
    const more = found[sealed.length];
    return more && { fault: 'inserted', key: more.key };
  }
  if (found.length > sealed.length && found[at + 1]?.fingerprint === sealed[at])
    return { fault: 'inserted', key: found[at]?.key };
  if (found.length < sealed.length && (found[at] === undefined || found[at].fingerprint === sealed[at + 1]))
    return { fault: 'missing', key: found[at - 1]?.key };
  return { fault: 'altered', key: found[at]?.key };
}

/**
 * Verifies an exported log line by line, in memory that does not grow: every row is hashed again, every seal and the root at the
 * end follow from the rows and from what the file says was before them, and the root is signed.
 */
export async function verifyLog(lines: AsyncIterable<string>, options: LogOptions): Promise<LogVerdict> {
  const file = new LogFile(options);
  let verdict: LogVerdict | undefined;
  for await (const line of lines) {
    // What stands behind the root is not under it.
    if (verdict !== undefined && line !== '') return file.wrong('inserted', nameOf(line));
    verdict ??= await file.take(line);
    if (verdict?.ok === false) return verdict;
  }
  return verdict ?? file.wrong('head_missing');
}

type ReportedExport = ArchivedExport & { readonly jws: string; readonly hashes?: readonly string[] };

class LogFile {
  readonly #options: LogOptions;
  #tree: HashTree;
  #after = 0;
  #batch: FoundRow[] = [];
  #isArchiveWrong = false;
  /** As the file tells: each with a signed head, and a proof of growth where it ends before the file begins. */
  #archived: { readonly size: number; readonly exports: readonly ReportedExport[] } | undefined;
  /** Undefined until the tree has had the size of the earlier one. */
  #isSame: boolean | undefined;

  constructor(options: LogOptions) {
    this.#options = options;
    this.#tree = new HashTree(options.sha256);
    this.#meetEarlier();
  }

  wrong(fault: LogFault, row?: string): LogVerdict {
    return { ok: false, rows: this.#tree.size, fault, ...(row !== undefined && { row }) };
  }

  async take(line: string): Promise<LogVerdict | undefined> {
    if (line === '') return undefined;
    try {
      if (line.startsWith('{"start":')) return this.#start(line);
      if (line.startsWith('{"seal":')) return this.#seal(line);
      if (line.startsWith('{"head":')) return await this.#head(line);
    } catch {
      return this.wrong('line_wrong', line.slice(0, 80));
    }
    const leaf = leafHash(this.#options.sha256, line);
    this.#tree.add(leaf);
    this.#batch.push({ key: nameOf(line), leaf, fingerprint: toHex(leaf.subarray(0, FINGERPRINT_BYTES)) });
    this.#meetEarlier();
    return undefined;
  }

  /** Rows from the middle of a log: the subtrees before them stand for those that are not in the file. */
  #start(line: string): LogVerdict | undefined {
    const { log, size, peaks, archived } = (JSON.parse(line) as { start: Start }).start;
    const isOne =
      Number.isSafeInteger(size) && size > 0 && peaks.length === bitsOf(size) && peaks.every(isHash);
    if (this.#tree.size > 0 || !isOne) return this.wrong('start_wrong');
    this.#tree = new HashTree(this.#options.sha256, size, peaks.map(fromHex));
    this.#after = size;
    this.#meetEarlier();
    return archived === undefined ? undefined : this.#takeArchived(log, size, archived);
  }

  /** Exports without a gap up to the end of what was archived; the log of the file has grown from each of them. */
  #takeArchived(
    log: string,
    start: number,
    archived: NonNullable<Start['archived']>,
  ): LogVerdict | undefined {
    const { sha256, since } = this.#options;
    const here = { log, size: start, root: toHex(this.#tree.root) };
    let at = 0;
    for (const { fromSize, size, root, hashes } of archived.exports) {
      const isNext = fromSize <= at && size > at && isHash(root);
      const isBefore = size <= start;
      if (!isNext || isBefore !== (hashes !== undefined)) return this.wrong('archive_wrong');
      const proof = hashes ?? [];
      const grows = proof.every(isHash) && growsTo(sha256, { log, size, root }, here, proof.map(fromHex));
      if (isBefore && !grows) return this.wrong('archive_wrong');
      if (isBefore && since !== undefined && isSameRoot({ log, size, root }, since)) this.#isSame = true;
      at = size;
    }
    if (!(at >= archived.size && archived.size <= start)) return this.wrong('archive_wrong');
    this.#archived = archived;
    this.#meetExports();
    return undefined;
  }

  /** An export that ends behind the beginning of the file has the rows that the file has up to there. */
  #meetExports(): void {
    for (const { size, root } of this.#archived?.exports ?? [])
      this.#isArchiveWrong ||= size === this.#tree.size && root !== toHex(this.#tree.root);
  }

  #seal(line: string): LogVerdict | undefined {
    const seal = JSON.parse(line) as { size: string; root: string; fingerprints: string };
    const odd = firstOddity(seal.fingerprints.match(/.{8}/g) ?? [], this.#batch);
    if (odd !== undefined) return this.wrong(odd.fault, odd.key);
    if (seal.size !== String(this.#tree.size) || seal.root !== toHex(this.#tree.root))
      return this.wrong('seal_wrong', this.#batch[0]?.key);
    this.#batch = [];
    return undefined;
  }

  async #head(line: string): Promise<LogVerdict> {
    const { head, jws } = JSON.parse(line) as { head: LogRoot; jws: string };
    const { keys, since } = this.#options;
    const { size: rows } = this.#tree;
    const root = toHex(this.#tree.root);
    const archived = this.#archived;
    const reported = {
      ...{ log: head.log, rows, root },
      ...(this.#after > 0 && { after: this.#after }),
      ...(archived !== undefined && { archived: shown(archived) }),
    };
    const [more] = this.#batch;
    if (more !== undefined) return { ok: false, ...reported, fault: 'inserted', row: more.key };
    if (head.size !== rows || head.root !== root) return { ok: false, ...reported, fault: 'head_wrong' };
    if (since !== undefined && (this.#isSame === undefined || since.log !== head.log))
      return { ok: false, ...reported, fault: 'earlier_not_covered' };
    if (this.#isSame === false) return { ok: false, ...reported, fault: 'earlier_differs' };
    if (this.#isArchiveWrong) return { ok: false, ...reported, fault: 'archive_wrong' };
    if (keys === undefined) return { ok: true, ...reported };
    let signed = await isSigned(jws, head, keys.keys);
    for (const { jws: by, size, root: of } of archived?.exports ?? [])
      signed &&= await isSigned(by, { log: head.log, size, root: of }, keys.keys);
    return signed
      ? { ok: true, ...reported, signed }
      : { ok: false, ...reported, signed, fault: 'signature_wrong' };
  }

  #meetEarlier(): void {
    const { since } = this.#options;
    this.#meetExports();
    if (since?.size === this.#tree.size) this.#isSame = toHex(this.#tree.root) === since.root;
  }
}

interface Start {
  readonly log: string;
  readonly size: number;
  readonly peaks: string[];
  readonly archived?: { readonly size: number; readonly exports: readonly ReportedExport[] };
}

function shown({ size: rows, exports }: NonNullable<Start['archived']>): Archived {
  return {
    size: rows,
    exports: exports.map(({ fromSize, size, root, sha256, exportedAt }) => ({
      ...{ fromSize, size, root, sha256, exportedAt },
    })),
  };
}

/** What the service answers when it is asked to prove something about its log. */
export interface LogProof {
  readonly head: SignedLogRoot;
  /** The hashes beside the way (RFC 9162 §2.1.3.1, §2.1.4.1), in hex. */
  readonly hashes: readonly string[];
  /** That a row is in the log: its place, from 0, and what is hashed of it. */
  readonly index?: number;
  readonly line?: string;
  /** That the log has only grown since. */
  readonly earlier?: SignedLogRoot;
}

/** Verifies that a row is in the log of a signed root, or that the log of one root begins with that of an earlier one. */
export async function verifyLogProof(proof: LogProof, options: LogOptions): Promise<LogVerdict> {
  const { head, earlier, line } = proof;
  const { sha256, keys, since } = options;
  const reported = { log: head.log, rows: head.size, root: head.root };
  const fits = proof.hashes.every(isHash) && follows(sha256, proof, proof.hashes.map(fromHex));
  const about = line === undefined ? {} : { row: nameOf(line) };
  if (!fits) return { ok: false, ...reported, ...about, fault: 'proof_wrong' };
  if (since !== undefined && ![head, earlier].some((each) => each !== undefined && isSameRoot(each, since)))
    return { ok: false, ...reported, ...about, fault: 'earlier_not_covered' };
  if (keys === undefined) return { ok: true, ...reported, ...about };
  for (const each of earlier === undefined ? [head] : [earlier, head]) {
    if (!(await isSigned(each.jws, each, keys.keys)))
      return { ok: false, ...reported, ...about, signed: false, fault: 'signature_wrong' };
  }
  return { ok: true, ...reported, ...about, signed: true };
}

function follows(
  sha256: Sha256,
  { head, earlier, index, line }: LogProof,
  hashes: readonly Uint8Array[],
): boolean {
  if (earlier !== undefined)
    return earlier.log === head.log && isHash(earlier.root) && growsTo(sha256, earlier, head, hashes);
  return index !== undefined && line !== undefined && contains(sha256, head, index, line, hashes);
}

function isSameRoot(one: LogRoot, other: LogRoot): boolean {
  return one.log === other.log && one.size === other.size && one.root === other.root;
}

/** RFC 9162 §2.1.3.2. */
function contains(
  sha256: Sha256,
  { size, root }: LogRoot,
  index: number,
  line: string,
  path: readonly Uint8Array[],
): boolean {
  if (!Number.isSafeInteger(index) || index < 0 || index >= size) return false;
  let [fn, sn] = [index, size - 1];
  let node = leafHash(sha256, line);
  for (const hash of path) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      node = nodeHash(sha256, hash, node);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else node = nodeHash(sha256, node, hash);
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && toHex(node) === root;
}

/** RFC 9162 §2.1.4.2. */
function growsTo(sha256: Sha256, first: LogRoot, second: LogRoot, given: readonly Uint8Array[]): boolean {
  if (first.size > second.size || first.size < 0) return false;
  if (first.size === second.size) return given.length === 0 && first.root === second.root;
  if (first.size === 0) return given.length === 0 && first.root === toHex(sha256(new Uint8Array()));
  const path = isPowerOfTwo(first.size) ? [fromHex(first.root), ...given] : given;
  let [fn, sn] = [first.size - 1, second.size - 1];
  while (fn % 2 === 1) [fn, sn] = [half(fn), half(sn)];
  const [start, ...rest] = path;
  if (start === undefined) return false;
  let [fr, sr] = [start, start];
  for (const hash of rest) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      fr = nodeHash(sha256, hash, fr);
      sr = nodeHash(sha256, hash, sr);
      while (fn % 2 === 0 && fn !== 0) [fn, sn] = [half(fn), half(sn)];
    } else sr = nodeHash(sha256, sr, hash);
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && toHex(fr) === first.root && toHex(sr) === second.root;
}

const half = (n: number) => Math.floor(n / 2);

function isPowerOfTwo(n: number): boolean {
  return bitsOf(n) === 1;
}

function bitsOf(n: number): number {
  let bits = 0;
  for (let rest = n; rest > 0; rest = half(rest)) bits += rest % 2;
  return bits;
}

/** A JWS over the root, by one of the keys. */
async function isSigned(
  jws: string,
  { log, size, root }: LogRoot,
  keys: readonly object[],
): Promise<boolean> {
  try {
    const [head = '', payload = '', signature = '', ...more] = jws.split('.');
    const { alg, typ, kid } = JSON.parse(new TextDecoder().decode(fromBase64Url(head)));
    const signed = JSON.parse(new TextDecoder().decode(fromBase64Url(payload)));
    if (more.length > 0 || alg !== 'EdDSA' || typ !== LOG_HEAD_TYPE) return false;
    if (signed.log !== log || signed.size !== size || signed.root !== root) return false;
    const jwk = (keys as readonly { readonly kid?: string; readonly kty?: string }[]).find(
      (each) => each.kid === kid && each.kty === 'OKP',
    );
    if (jwk === undefined) return false;
    const name = { name: 'Ed25519' };
    const { kty, crv, x } = jwk as { readonly kty: string; readonly crv: string; readonly x: string };
    const key = await crypto.subtle.importKey('jwk', { kty, crv, x }, name, false, ['verify']);
    return await crypto.subtle.verify(
      name,
      key,
      fromBase64Url(signature),
      encoder.encode(`${head}.${payload}`),
    );
  } catch {
    return false;
  }
}

function nameOf(line: string): string {
  try {
    const { number, entryId } = JSON.parse(line) as { number?: string; entryId?: string };
    return entryId ?? number ?? line.slice(0, 80);
  } catch {
    return line.slice(0, 80);
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX[byte];
  return text;
}

function isHash(text: unknown): boolean {
  return typeof text === 'string' && /^[0-9a-f]{64}$/.test(text);
}

function fromHex(text: string): Uint8Array {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
}
