import type { Random } from '../../../../../soak/random.ts';

const KEPT_MAX = 40; // limit: Newest values of a name that are kept
const TEXT_MAX = 200; // limit: Characters of a value that is kept
const ID = /^([a-z]{2,5})_[0-9a-hjkmnp-tv-z]{26}$/;

/** What answers have told so far: ids by their prefix, and values by the name that they stand under. */
export class Known {
  readonly #ids = new Map<string, string[]>();
  readonly #values = new Map<string, unknown[]>();
  /** What the walk lives on: asked about, and never ended. */
  readonly #kept = new Set<string>();

  /** Takes in everything that an answer says. */
  learn(value: unknown, name = ''): void {
    if (Array.isArray(value)) {
      for (const item of value) this.learn(item, name);
    } else if (typeof value === 'object' && value !== null) {
      for (const [member, inner] of Object.entries(value)) this.learn(inner, member);
    } else if (value !== null && value !== undefined) this.#add(name, value);
  }

  /** An id or a name that nothing may be done to that cannot be undone. */
  keep(...ids: readonly (string | undefined)[]): void {
    for (const id of ids) if (id !== undefined) this.#kept.add(id);
  }

  /** @param harmless whether it may be one that must stay as it is */
  ids(prefix: string, harmless: boolean): readonly string[] {
    return (this.#ids.get(prefix) ?? []).filter((id) => harmless || !this.#kept.has(id));
  }

  values(name: string): readonly unknown[] {
    return (this.#values.get(name) ?? []).filter(
      (value) => typeof value !== 'string' || !this.#kept.has(value),
    );
  }

  value(name: string, random: Random): unknown {
    const found = this.values(name);
    return found.length === 0 ? undefined : random.pick(found);
  }

  #add(name: string, value: unknown): void {
    if (typeof value === 'string') {
      if (value.length > TEXT_MAX) return;
      const prefix = ID.exec(value)?.[1];
      if (prefix !== undefined) put(this.#ids, prefix, value);
    }
    put(this.#values, name, value);
  }
}

/** The newest are at the end. */
function put<T>(into: Map<string, T[]>, key: string, value: T): void {
  const list = into.get(key);
  if (list === undefined) into.set(key, [value]);
  else if (!list.includes(value)) {
    list.push(value);
    if (list.length > KEPT_MAX) list.shift();
  }
}
