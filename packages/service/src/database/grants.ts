import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { digestOf } from './definitions.ts';
import type { Queryable } from './pool.ts';

/**
 * What the service may do with each table and view. Its role has these privileges and no others: what is kept for ever can
 * be read and added to, and nothing is the service's to define. What needs more is a function with `security definer`.
 */
export interface Grants {
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>;
  readonly digest: string;
}

const FILE = new URL('../../sql/grants.json', import.meta.url);
const PRIVILEGE = /(select|insert|update|delete)(?: \((\w+(?:, \w+)*)\))?(?:, |$)/y;
const NONE: ReadonlySet<string> = new Set();
/** Numbers are taken and looked at, and never set. */
const OF_SEQUENCES: ReadonlySet<string> = new Set(['usage', 'select']);

export async function readGrants(): Promise<Grants> {
  return grantsOf(JSON.parse(await readFile(FILE, 'utf8')));
}

/** @param declared privileges of each table, such as `select, insert, update (status, note)` */
export function grantsOf(declared: Readonly<Record<string, string>>): Grants {
  const tables = new Map(Object.entries(declared).map(([name, text]) => [name, privilegesOf(name, text)]));
  return { tables, digest: digestOf(JSON.stringify(declared)) };
}

/** Each column by itself: `update (status)`. */
function privilegesOf(table: string, text: string): Set<string> {
  const found = new Set<string>();
  PRIVILEGE.lastIndex = 0;
  while (PRIVILEGE.lastIndex < text.length) {
    const match = PRIVILEGE.exec(text);
    if (match === null) throw new Error(`What the service may do with ${table} cannot be read: "${text}".`);
    const [, privilege = '', columns] = match;
    if (columns === undefined) found.add(privilege);
    else for (const column of columns.split(', ')) found.add(`${privilege} (${column})`);
  }
  return found;
}

/** The statements after which the role has what is declared, and nothing else of it. None when it is so. */
export async function missingGrants(connection: Queryable, grants: Grants, role: string): Promise<string[]> {
  const to = pg.escapeIdentifier(role);
  return [
    ...(await ofSchema(connection, role, to)),
    ...(await ofRelations(connection, grants, role, to)),
    ...(await ofDefiners(connection, role, to)),
  ];
}

interface SchemaAccess {
  readonly schema: string;
  readonly database: string;
  readonly connects: boolean;
  readonly uses: boolean;
  readonly creates: boolean;
  readonly anybody_creates: boolean;
}

async function ofSchema(connection: Queryable, role: string, to: string): Promise<string[]> {
  const { rows } = await connection.query<SchemaAccess>(
    `select n.nspname as schema, current_database() as database,
       has_database_privilege($1, current_database(), 'connect') as connects, has_schema_privilege($1, n.oid, 'usage') as uses,
       bool_or(a.grantee = r.oid and a.privilege_type = 'CREATE') as creates,
       bool_or(a.grantee = 0 and a.privilege_type = 'CREATE') and pg_has_role(n.nspowner, 'usage') as anybody_creates
     from pg_namespace n cross join aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a cross join pg_roles r
     where n.nspname = current_schema() and r.rolname = $1 group by n.oid, n.nspname, n.nspowner`,
    [role],
  );
  const [found] = rows;
  if (found === undefined) return [];
  const schema = pg.escapeIdentifier(found.schema);
  return [
    ...(found.connects ? [] : [`grant connect on database ${pg.escapeIdentifier(found.database)} to ${to}`]),
    ...(found.uses ? [] : [`grant usage on schema ${schema} to ${to}`]),
    ...(found.creates ? [`revoke create on schema ${schema} from ${to}`] : []),
    // As in databases that were begun before PostgreSQL 15.
    ...(found.anybody_creates ? [`revoke create on schema ${schema} from public`] : []),
  ];
}

interface Relation {
  readonly name: string;
  readonly is_sequence: boolean;
  readonly is_part: boolean;
  readonly given: readonly string[];
}

async function ofRelations(
  connection: Queryable,
  { tables }: Grants,
  role: string,
  to: string,
): Promise<string[]> {
  const { rows } = await connection.query<Relation>(
    `select c.relname as name, c.relkind = 'S' as is_sequence, c.relispartition as is_part,
       array(
         select lower(a.privilege_type) from aclexplode(c.relacl) a where a.grantee = r.oid
         union all
         select format('%s (%s)', lower(a.privilege_type), t.attname) from pg_attribute t cross join aclexplode(t.attacl) a
         where t.attrelid = c.oid and not t.attisdropped and a.grantee = r.oid
       ) as given
     from pg_class c cross join pg_roles r
     where r.rolname = $1 and c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
       and not exists (select from pg_depend d where c.relkind = 'S' and d.objid = c.oid and d.deptype = 'i')
     order by c.relname`,
    [role],
  );
  return rows.flatMap(({ name, is_sequence, is_part, given }) => {
    // Parts of a table are reached through it; what is somebody else's is left alone.
    const wanted = is_sequence ? OF_SEQUENCES : is_part ? NONE : tables.get(name);
    if (wanted === undefined) return [];
    const on = `${is_sequence ? 'sequence' : 'table'} ${pg.escapeIdentifier(name)}`;
    const isTooMuch = given.some((privilege) => !wanted.has(privilege));
    const missing = [...wanted].filter((privilege) => isTooMuch || !given.includes(privilege));
    return [
      ...(isTooMuch ? [`revoke all on ${on} from ${to}`] : []),
      ...(missing.length > 0 ? [`grant ${missing.join(', ')} on ${on} to ${to}`] : []),
    ];
  });
}

/** Functions that do with the right of the owner what the service may not: for its role alone. */
async function ofDefiners(connection: Queryable, role: string, to: string): Promise<string[]> {
  const { rows } = await connection.query<{ name: string; of_public: boolean; of_role: boolean }>(
    `select p.oid::regprocedure::text as name, bool_or(a.grantee = 0) as of_public, bool_or(a.grantee = r.oid) as of_role
     from pg_proc p join schema_definitions d on d.kind = 'function' and d.name = p.proname
     cross join aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a cross join pg_roles r
     where r.rolname = $1 and p.prosecdef and p.pronamespace = current_schema()::regnamespace group by p.oid order by 1`,
    [role],
  );
  return rows.flatMap(({ name, of_public, of_role }) => [
    ...(of_public ? [`revoke all on function ${name} from public`] : []),
    ...(of_role ? [] : [`grant execute on function ${name} to ${to}`]),
  ]);
}
