import type { Queryable } from '../database/pool.ts';
import { SETTING_COLUMNS, type ServerSettings } from '../database/safety.ts';

/** SQL of the instances that serve. */

/** How many have written a heartbeat lately: at least the one that asks. For those who follow it, too. */
export const LIVE_INSTANCES_QUERY = `select greatest(1, count(*)) from instance_heartbeats where beat_at > clock_timestamp() - interval '15 seconds'`;

/** The number as text, as those who follow it get it. */
export async function countLiveInstances(database: Queryable): Promise<string | undefined> {
  const { rows } = await database.query<{ n: string }>(`select (${LIVE_INSTANCES_QUERY})::text as n`);
  return rows[0]?.n;
}

/** Writes the heartbeat of an instance (a UUID). @returns settings of the server at that moment */
export async function writeHeartbeat(database: Queryable, instance: string): Promise<ServerSettings> {
  const { rows } = await database.query<ServerSettings>(`select ${SETTING_COLUMNS} from beat($1)`, [
    instance,
  ]);
  return rows[0] as ServerSettings;
}
