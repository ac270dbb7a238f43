import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import pg from 'pg';
import { sqlState } from './failures.ts';
import type { Grants } from './grants.ts';
import type { Queryable } from './pool.ts';

/** The role that the service connects as. It owns nothing. */
export interface ServiceRole {
  readonly name: string;
  /** Given to the role; undefined leaves it as it is. */
  readonly password?: string | undefined;
}

/**
 * Makes the role where there is none. What it may do is in `grants.ts`.
 * @returns what was done
 * @throws Error when the connection may not make roles, or the role is more than a service's
 */
export async function ensureServiceRole(connection: Queryable, role: ServiceRole): Promise<string[]> {
  const { name, password } = role;
  const quoted = pg.escapeIdentifier(name);
  const done: string[] = [];
  const exists = async () =>
    (await connection.query('select from pg_roles where rolname = $1', [name])).rowCount === 1;
  if (!(await exists())) {
    try {
      await connection.query(`create role ${quoted} login`);
      done.push(`created the role ${name}`);
    } catch (error) {
      if (sqlState(error) === INSUFFICIENT_PRIVILEGE)
        throw new Error(
          `The role ${name} of DATABASE_URL does not exist, and the role of DATABASE_OWNER_URL cannot create it. Have an administrator run: create role ${quoted} login`,
          { cause: error },
        );
      // Somebody on another database of the server has made it in this moment.
      if (!(await exists())) throw error;
    }
  }
  if (password !== undefined) {
    await connection.query(`alter role ${quoted} password ${pg.escapeLiteral(scramOf(password))}`);
    done.push(`gave the role ${name} its password`);
  }
  return done;
}
const INSUFFICIENT_PRIVILEGE = '42501';

const SCRAM_ITERATIONS = 4_096;

/** What PostgreSQL keeps of a password (RFC 5803), so that the password itself is in no statement and no log of the server. */
function scramOf(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, SCRAM_ITERATIONS, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const stored = createHash('sha256').update(keyed('Client Key')).digest('base64');
  const server = keyed('Server Key').toString('base64');
  return `SCRAM-SHA-256$${SCRAM_ITERATIONS}:${salt.toString('base64')}$${stored}:${server}`;
}

/** What the role of a connection has more, and less, than the service is to have. */
export interface RoleReport {
  readonly name: string;
  /** It may define tables and functions. */
  readonly isOwner: boolean;
  /** Why what is kept for ever is not safe from it: one part of a sentence for each reason. */
  readonly risks: readonly string[];
  /** Privileges that it needs and has not. */
  readonly lacks: readonly string[];
}

interface RoleRow {
  readonly name: string;
  readonly is_superuser: boolean;
  readonly owns: boolean;
  readonly is_empty: boolean;
  readonly creates: boolean;
  readonly makes_roles: boolean;
  readonly runs_programs: boolean;
}

const PRIVILEGES = ['select', 'insert', 'update', 'delete', 'truncate', 'trigger'] as const;

/** Whatever it has by itself, by other roles or as everybody. */
export async function reportRole(connection: Queryable, grants: Grants): Promise<RoleReport> {
  const { rows } = await connection.query<RoleRow>(
    `select current_user as name, r.rolsuper as is_superuser, r.rolcreaterole as makes_roles,
       has_schema_privilege(n.oid, 'create') as creates, to_regclass('schema_migrations') is null as is_empty,
       exists (select from pg_class c where c.relnamespace = n.oid and c.relkind in ('r', 'p', 'v', 'S') and pg_has_role(c.relowner, 'member')) as owns,
       pg_has_role('pg_execute_server_program', 'member') or pg_has_role('pg_write_server_files', 'member') as runs_programs
     from pg_roles r cross join pg_namespace n where r.rolname = current_user and n.nspname = current_schema()`,
  );
  const [role] = rows;
  if (role === undefined) throw new Error('The database has no schema that its role may use.');
  const { name } = role;
  const risks = [
    ...(role.is_superuser ? [`${name} is a superuser`] : []),
    ...(role.owns && !role.is_superuser ? [`${name} owns the tables`] : []),
    ...(role.creates && !role.owns ? [`${name} may create tables and functions`] : []),
    ...(role.makes_roles && !role.is_superuser ? [`${name} may create roles`] : []),
    ...(role.runs_programs && !role.is_superuser ? [`${name} may write files on the server`] : []),
  ];
  if (role.owns || role.is_empty) return { name, isOwner: role.owns || role.creates, risks, lacks: [] };
  const { beyond, lacks } = await comparePrivileges(connection, grants);
  if (beyond.length > 0) risks.push(`${name} may ${listed(beyond)}`);
  return { name, isOwner: false, risks, lacks };
}

interface Has {
  readonly name: string;
  readonly is_part: boolean;
  readonly whole: readonly string[];
  readonly some: readonly string[];
}

async function comparePrivileges(connection: Queryable, { tables }: Grants) {
  const { rows } = await connection.query<Has>(
    `select c.relname as name, c.relispartition as is_part,
       array(select p from unnest($1::text[]) p where has_table_privilege(c.oid, p)) as whole,
       array(select p from unnest($1::text[]) p where p in ('select', 'insert', 'update') and has_any_column_privilege(c.oid, p)) as some
     from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p', 'v') order by 1`,
    [PRIVILEGES],
  );
  const beyond: string[] = [];
  const lacks: string[] = [];
  for (const { name, is_part, whole, some } of rows) {
    const declared = is_part ? new Set<string>() : tables.get(name);
    if (declared === undefined) continue;
    const ofColumns = new Set([...declared].flatMap((each) => /^(\w+) \(/.exec(each)?.[1] ?? []));
    for (const privilege of PRIVILEGES) {
      const hasAny = whole.includes(privilege) || some.includes(privilege);
      const isDeclared = declared.has(privilege) || ofColumns.has(privilege);
      if (isDeclared && !hasAny) lacks.push(`${privilege} on ${name}`);
      // Reading changes nothing.
      if (privilege === 'select' || !hasAny || declared.has(privilege)) continue;
      if (!isDeclared) beyond.push(`${privilege} ${name}`);
      else if (whole.includes(privilege)) beyond.push(`${privilege} every column of ${name}`);
    }
  }
  return { beyond, lacks };
}

/** As many as fit into a line. */
function listed(all: readonly string[]): string {
  const shown = all.slice(0, 3).join(', ');
  return all.length > 3 ? `${shown} and ${all.length - 3} more` : shown;
}
