import type { Pool } from '../../packages/service/src/database/pool.ts';

/**
 * The schema of a database as text: tables, indexes, constraints, triggers, types, views and the heads of functions, in the
 * order of their names. Made from the catalogs, as PostgreSQL words it: the same from 15 on. What a view selects and a
 * function does is in `sql/functions`.
 */
export async function dumpSchema(pool: Pool): Promise<string> {
  const parts: string[] = [];
  for (const query of [SEQUENCES, TYPES, TABLES, VIEWS, FUNCTIONS]) {
    const { rows } = await pool.query<{ text: string }>(query);
    parts.push(...rows.map(({ text }) => text));
  }
  return `${parts.join('\n\n')}\n`;
}

const OURS = `= current_schema()::regnamespace`;

/** Those that belong to no column. */
const SEQUENCES = `
  select format('create sequence %s as %s start %s increment %s minvalue %s maxvalue %s%s;', c.relname,
    s.seqtypid::regtype, s.seqstart, s.seqincrement, s.seqmin, s.seqmax, case when s.seqcycle then ' cycle' else '' end) as text
  from pg_sequence s join pg_class c on c.oid = s.seqrelid
  where c.relnamespace ${OURS} and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'i')
  order by c.relname collate "C"`;

const TYPES = `
  select format(E'create type %s as (\\n%s\\n);', c.relname, (
    select string_agg(format('  %s %s', a.attname, format_type(a.atttypid, a.atttypmod)), E',\\n' order by a.attnum)
    from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)) as text
  from pg_class c where c.relkind = 'c' and c.relnamespace ${OURS} order by c.relname collate "C"`;

const COLUMN = `format('  %s %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
  case when a.attnotnull then ' not null' else '' end,
  case
    when a.attidentity <> '' then format(' generated %s as identity', case a.attidentity when 'a' then 'always' else 'by default' end)
    when a.attgenerated <> '' then format(' generated always as (%s) stored', pg_get_expr(d.adbin, d.adrelid, true))
    when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid, true)
    else ''
  end)`;

const TABLES = `
  select format(E'create %stable %s (\\n%s\\n)%s;', case c.relpersistence when 'u' then 'unlogged ' else '' end, c.relname,
    concat_ws(E',\\n', (
      select string_agg(${COLUMN}, E',\\n' order by a.attnum)
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    ), (
      select string_agg(format('  constraint %s %s', n.conname, pg_get_constraintdef(n.oid, true)), E',\\n'
        order by n.contype <> 'p', n.conname collate "C")
      from pg_constraint n where n.conrelid = c.oid and n.contype in ('p', 'u', 'c', 'f', 'x')
    )),
    case when c.relkind = 'p' then format(' partition by %s', pg_get_partkeydef(c.oid)) else '' end ||
    case when c.reloptions is null then '' else format(' with (%s)', array_to_string(c.reloptions, ', ')) end)
  || coalesce((
    select string_agg(E'\\n' || pg_get_indexdef(i.indexrelid, 0, true) || ';', '' order by x.relname collate "C")
    from pg_index i join pg_class x on x.oid = i.indexrelid
    where i.indrelid = c.oid and not exists (select from pg_constraint n where n.conindid = i.indexrelid and n.contype <> 'f')
  ), '') || coalesce((
    select string_agg(E'\\n' || pg_get_triggerdef(t.oid, true) || ';', '' order by t.tgname collate "C")
    from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal
  ), '') as text
  from pg_class c where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace ${OURS} order by c.relname collate "C"`;

const VIEWS = `
  select format(E'create view %s (\\n%s\\n);', c.relname, (
    select string_agg(format('  %s %s', a.attname, format_type(a.atttypid, a.atttypmod)), E',\\n' order by a.attnum)
    from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)) as text
  from pg_class c where c.relkind = 'v' and c.relnamespace ${OURS} order by c.relname collate "C"`;

const FUNCTIONS = `
  select format('create function %s(%s) returns %s language %s %s%s%s;', p.proname, pg_get_function_arguments(p.oid),
    pg_get_function_result(p.oid), l.lanname,
    case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end,
    case when p.proisstrict then ' strict' else '' end || case when p.prosecdef then ' security definer' else '' end,
    (select coalesce(string_agg(' set ' || s, '' order by n), '') from unnest(p.proconfig) with ordinality as x (s, n))) as text
  from pg_proc p join pg_language l on l.oid = p.prolang
  where p.pronamespace ${OURS} order by p.proname collate "C", pg_get_function_arguments(p.oid) collate "C"`;
