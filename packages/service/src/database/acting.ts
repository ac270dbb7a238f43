import { AsyncLocalStorage } from 'node:async_hooks';
import type { Queryable } from './pool.ts';

/** Who acts, for the audit trail. Ids are UUIDs. */
export interface ActingParty {
  readonly actor: 'client' | 'person' | 'command' | 'service' | 'unknown';
  readonly actorId?: string | undefined;
  /** The person who acts, or who answers for the client. */
  readonly personId?: string | undefined;
  /** Of a customer's client. */
  readonly customerId?: string | undefined;
  /** Of the token or session. */
  readonly tokenId?: string | undefined;
  readonly address?: string | undefined;
}

/** What somebody does. Every transaction that changes something meanwhile writes it down as it commits (`inTransaction`). */
export interface Act extends ActingParty {
  readonly kind: 'change' | 'read' | 'sign_in' | 'refusal';
  /** Id of the operation; `command:…` on the command line, `sweep:…` by time. */
  readonly operation: string;
  /** What it is done to, as a path. */
  readonly resource: string;
  /** Ids in it, as UUIDs where they have that form. */
  readonly subjects: readonly string[];
  /** `done`, or the code of the problem. */
  readonly outcome: string;
  readonly requestId?: string | undefined;
}

interface Acting {
  readonly act: Act;
  written: number;
  /** Who proposed what is being done, where whoever acts approves it. */
  proposedBy?: string | undefined;
}

const current = new AsyncLocalStorage<Acting | undefined>();

/** The person or client who does what is being done, as a UUID, and who approved it; undefined for what the service does by itself. */
export function actorNow(): { readonly by: string; readonly approvedBy?: string } | undefined {
  const now = current.getStore();
  const by = now?.act.actorId;
  if (now === undefined || by === undefined) return undefined;
  return now.proposedBy === undefined ? { by } : { by: now.proposedBy, approvedBy: by };
}

/** Carries out what somebody has proposed and whoever acts has approved. */
export async function actingAsProposed<T>(proposedBy: string, work: () => Promise<T>): Promise<T> {
  const now = current.getStore();
  if (now === undefined) return work();
  now.proposedBy = proposedBy;
  try {
    return await work();
  } finally {
    now.proposedBy = undefined;
  }
}

/** Opens a transaction that notes its changes (`note_audited_change`). */
export const BEGIN_ACTING = `begin; set local firmquote.act = 'on'`;

/** What is being done where this is asked. */
export function actingNow(): Acting | undefined {
  return current.getStore();
}

/**
 * Runs the work as an act: each of its transactions that changes something writes a row about it in its own commit.
 * @returns the result, and how many rows there are
 */
export async function acting<T>(
  act: Act,
  work: () => Promise<T> | T,
): Promise<{ result: T; written: number }> {
  const store: Acting = { act, written: 0 };
  const result = await current.run(store, work);
  return { result, written: store.written };
}

/** Runs what is nobody's act, whoever set it off. */
export function actingForNobody<T>(work: () => T): T {
  return current.run(undefined, work);
}

/** A sweep, wherever it is started: by the clock, or in the middle of a request that moves it. */
export function actingAsSweep<
  T extends { readonly name: string; readonly isAudited?: true; run(): Promise<number> },
>(sweep: T): T {
  const act: Act = {
    kind: 'change',
    operation: `sweep:${sweep.name}`,
    resource: '',
    subjects: [],
    outcome: 'done',
    actor: 'service',
  };
  const run =
    sweep.isAudited === true
      ? async () => (await acting(act, () => sweep.run())).result
      : () => actingForNobody(() => sweep.run());
  return { ...sweep, run };
}

/** Writes the act with what was noted of it, in the transaction of the connection. */
export async function recordActing(connection: Queryable, now: Acting): Promise<void> {
  if (await recordAct(connection, now.act)) now.written++;
}

/**
 * Writes an act.
 * @param more makes a row also where nothing was noted: how many it stands for, and when the first of them was
 * @returns whether there was anything to write
 */
export async function recordAct(
  connection: Queryable,
  act: Act,
  more?: { readonly count?: number; readonly at?: string },
): Promise<boolean> {
  const { rows } = await connection.query<{ written: boolean }>({
    name: 'record_act',
    text: 'select record_act($1, $2) as written',
    values: [
      JSON.stringify(
        {
          at: more?.at,
          kind: act.kind,
          operation: act.operation,
          resource: act.resource,
          subjects: act.subjects,
          outcome: act.outcome,
          actor: act.actor,
          actor_id: act.actorId,
          person_id: act.personId,
          customer_id: act.customerId,
          token_id: act.tokenId,
          address: act.address,
          request_id: act.requestId,
          count: more?.count,
        },
        storable,
      ),
      more !== undefined,
    ],
  });
  return rows[0]?.written === true;
}

/** What nobody has looked at may have what PostgreSQL takes in no text (`%00` in an address, say): one such act would keep all others from the trail. */
function storable(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\ufffd') : value;
}
