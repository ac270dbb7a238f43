import { StringDecoder } from 'node:string_decoder';
import { interrupted, usage } from './errors.ts';
import { canAsk, type Io, write } from './io.ts';

/** ESC, and what an arrow or a function key sends behind it. */
const ESCAPE_SEQUENCE = new RegExp(`${String.fromCodePoint(27)}(\\[[\\d;]*[ -/]*[@-~]|O.|.)?`, 'g');
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_U = '\u0015';
const BACKSPACE = new Set(['\u0008', '\u007f']);
/** limit: Characters of an answer on the terminal; what goes on is no answer. */
const ANSWER_MAX = 4_096;

export interface LineOptions {
  /** What is typed is not shown. */
  readonly hidden?: boolean;
  /** Asked again whenever the line is drawn, before what was typed. */
  readonly question: () => string;
  /** Draws again this often, for a question that changes. */
  readonly redrawMs?: number;
  /** Ends the question without an answer; the reason is thrown. */
  readonly giveUp?: AbortSignal;
}

/**
 * Asks for one line on the terminal. The terminal is in raw mode meanwhile, so that nothing typed is shown which should
 * not be, and the line can change while somebody types. Ctrl-C throws; Ctrl-D on an empty line answers undefined.
 */
export async function askLine(io: Io, options: LineOptions): Promise<string | undefined> {
  const { stdin, stderr } = io;
  const decoder = new StringDecoder('utf8');
  let typed = '';
  const draw = () => write(stderr, `\r\u001b[K${options.question()}${options.hidden ? '' : typed}`);
  stdin.setRawMode?.(true);
  await draw();
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  // What was pasted with its line end is shown too.
  const answer = () => (options.hidden ? resolve(typed) : void draw().then(() => resolve(typed)));
  const onData = (bytes: Buffer | string) => {
    const text = (typeof bytes === 'string' ? bytes : decoder.write(bytes)).replaceAll(ESCAPE_SEQUENCE, '');
    for (const key of text) {
      if (key === CTRL_C) return reject(interrupted());
      if (key === '\r' || key === '\n') return answer();
      if (key === CTRL_D && typed === '') return resolve(undefined);
      if (BACKSPACE.has(key)) typed = [...typed].slice(0, -1).join('');
      else if (key === CTRL_U) typed = '';
      else if (key >= ' ' && typed.length < ANSWER_MAX) typed += key;
    }
    if (!options.hidden) void draw();
  };
  const onEnd = () => resolve(undefined);
  const onAbort = () => reject(options.giveUp?.reason);
  const timer = options.redrawMs === undefined ? undefined : setInterval(() => void draw(), options.redrawMs);
  // A question before this one has paused it.
  stdin.on('data', onData).on('end', onEnd).on('close', onEnd).resume();
  options.giveUp?.addEventListener('abort', onAbort);
  if (options.giveUp?.aborted) onAbort();
  const stopListening = io.onInterrupt(() => reject(interrupted()));
  try {
    return await promise;
  } finally {
    clearInterval(timer);
    stopListening();
    options.giveUp?.removeEventListener('abort', onAbort);
    stdin.removeListener('data', onData).removeListener('end', onEnd).removeListener('close', onEnd);
    stdin.pause();
    stdin.setRawMode?.(false);
    await write(stderr, '\n');
  }
}

/** Yes or no; nothing is no. */
export async function confirm(io: Io, question: string): Promise<boolean> {
  const answer = await askLine(io, { question: () => `${question} [y/N] ` });
  return isYes(answer);
}

export function isYes(answer: string | undefined): boolean {
  return /^(y|yes)$/i.test(answer?.trim() ?? '');
}

/** A word to be typed out, before something that cannot be taken back. */
export async function confirmByTyping(io: Io, question: string, word: string): Promise<boolean> {
  const answer = await askLine(io, { question: () => `${question} Type ${word} to continue: ` });
  return answer?.trim() === word;
}

export async function askText(io: Io, question: string, next: string): Promise<string> {
  if (!canAsk(io)) throw usage(`${question} is missing.`, next);
  const answer = (await askLine(io, { question: () => `${question}: ` }))?.trim() ?? '';
  if (answer === '') throw usage(`${question} is missing.`, next);
  return answer;
}

export async function askSecret(io: Io, question: string, next: string): Promise<string> {
  if (!canAsk(io)) throw usage(`${question} is missing.`, next);
  const answer =
    (await askLine(io, { question: () => `${question} (not shown): `, hidden: true }))?.trim() ?? '';
  if (answer === '') throw usage(`${question} is missing.`, next);
  return answer;
}

/** limit: Bytes of a secret from a file or from stdin. */
const SECRET_BYTES_MAX = 64 * 1_024;

/** All of stdin, without the line end. */
export async function secretFromStdin(io: Io): Promise<string> {
  let text = '';
  for await (const chunk of io.stdin) {
    text += String(chunk);
    if (text.length > SECRET_BYTES_MAX) throw usage('The text on stdin is too long for a secret.');
  }
  const secret = text.trim();
  if (secret === '')
    throw usage(
      'stdin holds no secret.',
      'For example: pass show firmquote | firmquote login --secret-stdin …',
    );
  return secret;
}
