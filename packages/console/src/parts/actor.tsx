import { useEffect, useSyncExternalStore } from 'react';
import { operator } from '../api/session.ts';
import { Verbatim, words } from './text.tsx';

/** Those who are asked for in one moment are asked for together, ms. */
const GATHER_MS = 20;
const IDS_MAX = 50;
const ID = /^(per|cli)_/;

const known = new Map<string, string>();
const asked = new Set<string>();
const listeners = new Set<() => void>();
let wave: string[] = [];

function ask(id: string): void {
  if (asked.has(id)) return;
  asked.add(id);
  if (wave.push(id) === 1) setTimeout(() => void read(), GATHER_MS);
}

async function read(): Promise<void> {
  const ids = wave;
  wave = [];
  for (let at = 0; at < ids.length; at += IDS_MAX) {
    const some = ids.slice(at, at + IDS_MAX);
    try {
      const { items } = await operator.listActors({ ids: some });
      for (const { actorId, name } of items) known.set(actorId, name);
    } catch {
      // Whoever is shown next is asked for again; until then the id says who it was.
      for (const id of some) asked.delete(id);
    }
  }
  for (const listener of listeners) listener();
}

function watch(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Who did something, by name. What the service itself did is told by its word for that.
 * @param withId the id stands beside the name, where there is room for it; else it is in the hint of the name
 */
export function Actor({ id, withId = false }: { readonly id: string; readonly withId?: boolean }) {
  const isId = ID.test(id);
  useEffect(() => {
    if (isId) ask(id);
  }, [id, isId]);
  const name = useSyncExternalStore(watch, () => known.get(id));
  if (!isId) return <span>{words(id).toLowerCase()}</span>;
  if (name === undefined) return <span className="mono">{id}</span>;
  return (
    <>
      <span title={id}>
        <Verbatim text={name} />
      </span>
      {withId && (
        <>
          {' '}
          <span className="mono dim">{id}</span>
        </>
      )}
    </>
  );
}
