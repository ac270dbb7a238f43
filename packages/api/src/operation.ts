import type { Parameters, ValuesOf } from './parameters.ts';
import type { ProblemCode } from './problems/registry.ts';
import type { TagName } from './tags.ts';
import type { Static, TSchema } from './typebox.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What a token needs. */
export interface Access {
  readonly audience: 'customer' | 'operator';
  readonly scope: string;
  /** The scope itself is needed to read as well; one that only reads is not enough (`sufficientScopes`). */
  readonly only?: true;
  /** Whatever scope a token of the audience has is enough: the request names what it takes. */
  readonly anyScope?: true;
  /** A person must have signed in a short while ago: it moves money, or opens a door. Nothing to programs. */
  readonly fresh?: true;
}

/** Buckets of requests; see the rules of the interface. `unlimited` is for what has no caller. Default: `reads`. */
export type RatePolicy = 'indicative' | 'quotes' | 'execute' | 'reads' | 'revalidation' | 'unlimited';

/** What an answer may be, and must be accepted as: JSON, unless it says otherwise. Problems are sent whatever is accepted. */
export type AnswerMedia = 'json' | 'event-stream' | 'json-or-event-stream' | 'anything';

/**
 * How an `Idempotency-Key` works. `kept`: the answer is kept for a day and replayed. `secret`: the outcome is kept without the
 * answer where that holds a secret. `own`: the operation decides and keeps it in its own statement.
 */
export type KeyUse = 'kept' | 'secret' | 'own';

/** An answer that is not just a JSON body with a schema. */
export interface AnswerDeclaration {
  readonly description: string;
  /** By media type; none for an answer without a body. */
  readonly content?: Readonly<Record<string, TSchema>>;
  /** Beside those that follow from what the operation is. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One operation of the interface: all that can be said of it without running it, except its four eyes (`four-eyes.ts`). */
export interface Operation {
  /** Unique, in camel case: what a client's method is called. */
  readonly id: string;
  readonly method: Method;
  /** `/v1/customer/quotes/{quoteId}` */
  readonly path: string;
  readonly tag: TagName;
  /** A few words without a full stop. */
  readonly summary: string;
  /** Whole sentences, in Markdown: what it does, and what a caller should know. */
  readonly description?: string;
  /** None for what anybody may read. */
  readonly access?: Access;
  /** It needs no token of the interface and is for those who run the house, not for customers. */
  readonly forHouse?: true;
  readonly rate?: RatePolicy;
  readonly media?: AnswerMedia;
  /** Of the path, one for each name in braces. */
  readonly params?: Parameters;
  readonly query?: Parameters;
  /** The answer is a page; `limit` and `cursor` are parameters too. A `limit` in `query` stands for the usual one. */
  readonly pages?: true;
  readonly body?: TSchema;
  /** No body is as good as an empty object. */
  readonly optionalBody?: true;
  /** The media type of a body that is no JSON. */
  readonly bodyMedia?: readonly string[];
  /** By status: a schema of the JSON body, or more about the answer. */
  readonly answers: Readonly<Record<number, TSchema | AnswerDeclaration>>;
  readonly key?: KeyUse;
  /** Beside `key`: a request without an `Idempotency-Key` is refused. */
  readonly needsKey?: true;
  /** `If-Match` is understood, or required; answers bring an `ETag`. */
  readonly conditional?: 'possible' | 'required';
  /** Answers bring an `ETag`, also where no condition is understood. */
  readonly versioned?: true;
  /** One person may not be enough: 202 brings the approval that a second one decides on. */
  readonly proposes?: true;
  /** What is made has no address of its own: its answer brings no `Location`. */
  readonly unlocated?: true;
  /** `If-None-Match` is understood: 304 where nothing has changed. */
  readonly revalidates?: true;
  /** `Prefer: wait=N` holds the answer until something changes. */
  readonly waits?: true;
  /** `Last-Event-ID` is understood: a stream that goes on after an interruption. */
  readonly resumes?: true;
  /** `Prefer: signature` gets the terms of the answer signed. */
  readonly signs?: true;
  /** With `key` `own`: what an answer that is given again says of now, beside its body, which is the first one's. */
  readonly tellsNow?: readonly StateHeader[];
  /** What is sent to an address that the request names: the name of the message, and its body. */
  readonly sends?: { readonly name: string; readonly message: TSchema };
  /** A good request and its answer, as JSON. An answer is shown by the examples of its schema as well. */
  readonly example?: { readonly body?: object; readonly answer?: object };
  /**
   * How the audit trail tells of it. What is no GET leaves a row in the commit of what it changes, unless it is `own`: what it
   * writes names who and when by itself, and comes thousands of times; `nothing`: it changes nothing; `sign_in`. Of a GET, `read`:
   * what it shows is secret or personal, and who read it is written down.
   */
  readonly audited?: 'own' | 'nothing' | 'sign_in' | 'read';
  /** What it can answer beside what follows from the above. */
  readonly problems?: readonly ProblemCode[];
}

/** Whether a call may change anything: else it has no outcome that could be unknown. */
export function mayChange({ method, audited }: Pick<Operation, 'method' | 'audited'>): boolean {
  return method !== 'GET' && audited !== 'nothing';
}

/** Checks the form and keeps the types of what is declared. */
export function operation<const Declared extends Operation>(declared: Declared): Declared {
  return declared;
}

type Given<P> = P extends Parameters ? ValuesOf<P> : Record<never, never>;

export type ParamsOf<O extends Operation> = {
  readonly [Name in keyof Given<O['params']>]: Exclude<Given<O['params']>[Name], undefined>;
};
export type QueryOf<O extends Operation> = Given<O['query']>;
export type BodyOf<O extends Operation> = O['body'] extends TSchema ? Static<O['body']> : undefined;

/** The status of the answer that an operation is there for. */
export function goodStatusOf({ answers }: Operation): number {
  return 201 in answers ? 201 : Number.parseInt(Object.keys(answers)[0] ?? '', 10);
}

/** Its schema, where it is JSON. */
export function goodAnswerOf(operation: Operation): TSchema | undefined {
  const answer = operation.answers[goodStatusOf(operation)];
  return answer !== undefined && isDeclaration(answer) ? answer.content?.['application/json'] : answer;
}

/** Headers of a good answer that follow from what the operation is. */
export function answerHeadersOf(operation: Operation, status: number): readonly AnswerHeader[] {
  const { conditional, versioned, revalidates, unlocated, proposes, pages, waits, signs, tellsNow } =
    operation;
  const isVersioned = conditional !== undefined || versioned === true || revalidates === true;
  return [
    ...(isVersioned && (status === 200 || status === 201) ? (['ETag'] as const) : []),
    ...((unlocated !== true && (status === 201 || status === 202)) || (proposes === true && status === 202)
      ? (['Location'] as const)
      : []),
    ...(pages === true ? (['Link'] as const) : []),
    ...(signs === true ? (['JWS-Signature'] as const) : []),
    ...(signs === true || waits === true ? (['Preference-Applied'] as const) : []),
    ...(tellsNow === undefined ? [] : ([REPLAYED, ...tellsNow] as const)),
  ];
}

/** Of an answer that is given again. Where it is `kept` the parameter of the key says so, once for all. */
export const REPLAYED = 'Idempotency-Replayed';
type StateHeader = 'Firmquote-Current-Status' | 'Firmquote-Valid-For-Ms';
export type AnswerHeader =
  | 'ETag'
  | 'Location'
  | 'Link'
  | 'JWS-Signature'
  | 'Preference-Applied'
  | typeof REPLAYED
  | StateHeader;

export function isDeclaration(answer: TSchema | AnswerDeclaration): answer is AnswerDeclaration {
  return 'description' in answer && !('type' in answer) && !('anyOf' in answer) && !('allOf' in answer);
}
