import type { Observer } from './database.ts';
import type { SimulationFault } from './simulation.ts';

/** Faults that are put into the database on purpose, each of which one rule must notice. */

/** Changes the text of a function of the database. */
async function change(observer: Observer, name: string, from: string | RegExp, to: string): Promise<void> {
  const [found] = await observer.rows<{ text: string }>('select pg_get_functiondef($1::regproc) as text', [
    name,
  ]);
  const changed = found?.text.replace(from, to);
  if (changed === undefined || changed === found?.text) throw new Error(`${name} has no ${from}`);
  await observer.rows(changed);
}

/** One more row beside each new one, as a service would make it that does its work twice. */
function doubled(table: string, change: string, once: string): SimulationFault {
  return async (observer) => {
    const indexes = await observer.rows<{ name: string; constraint: string | null }>(
      `select i.indexrelid::regclass::text as name, c.conname as constraint from pg_index i
       left join pg_constraint c on c.conindid = i.indexrelid and c.contype = 'u'
       where i.indrelid = $1::regclass and i.indisunique and not i.indisprimary`,
      [table],
    );
    for (const { name, constraint } of indexes)
      await observer.rows(
        constraint === null ? `drop index ${name}` : `alter table ${table} drop constraint ${constraint}`,
      );
    await observer.rows(
      `create function simulated_fault() returns trigger language plpgsql security definer set search_path from current as $$
       declare copy ${table};
       begin
         if pg_trigger_depth() > 1 or ${once} then return null; end if;
         copy := new;
         ${change}
         insert into ${table} select copy.*;
         return null;
       end $$`,
    );
    await observer.rows(
      `create trigger simulated_fault after insert on ${table} for each row execute function simulated_fault()`,
    );
  };
}

export const FAULTS: ReadonlyMap<string, SimulationFault> = new Map([
  [
    'executed-twice',
    doubled(
      'transactions',
      'copy.id := gen_random_uuid(); copy.reference := copy.reference || copy.id;',
      'false',
    ),
  ],
  [
    'unbalanced-entry',
    async (observer) => {
      await observer.rows(
        `create function simulated_fault() returns trigger language plpgsql security definer set search_path from current as $$
         begin
           new.amounts[1] := new.amounts[1] + 1;
           return new;
         end $$`,
      );
      const checks = await observer.rows<{ name: string }>(
        `select conname as name from pg_constraint where conrelid = 'journal_entries'::regclass and contype = 'c'`,
      );
      for (const { name } of checks)
        await observer.rows(`alter table journal_entries drop constraint ${name}`);
      await observer.rows(
        `create trigger simulated_fault before insert on journal_entries for each row
         when (new.kind = 'trade_executed') execute function simulated_fault()`,
      );
    },
  ],
  [
    'event-skipped',
    async (observer) => {
      await observer.rows(
        `create function simulated_fault() returns trigger language plpgsql as $$
         begin
           if new.sequence = 2 then return null; end if;
           return new;
         end $$`,
      );
      await observer.rows(
        `create trigger simulated_fault before insert on events for each row execute function simulated_fault()`,
      );
    },
  ],
  [
    'late-execution',
    (observer) =>
      change(
        observer,
        'book_trades',
        'q.expires_at > i.received_at',
        "q.expires_at + interval '1 hour' > i.received_at",
      ),
  ],
]);
