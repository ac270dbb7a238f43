import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startApplication } from '../src/application.ts';
import { loadConfig } from '../src/config.ts';
import { createLogger } from '../src/platform/logger.ts';
import { createTestDatabase } from './support/database.ts';
import { temporaryFolder } from './support/process.ts';

test('a start says which roles of the groups do not exist', async (t) => {
  const { url, pool } = await createTestDatabase();
  await pool.query(
    `insert into roles (name, description, scopes, version, created_at, updated_at)
     values ('night-desk', 'x', '{operator:market}', 1, now(), now())`,
  );
  const warnings = async (roles: string): Promise<unknown[]> => {
    const lines: string[] = [];
    const config = loadConfig({
      FIRMQUOTE_PORT: '0',
      FIRMQUOTE_DATA_DIR: temporaryFolder(t),
      DATABASE_URL: url,
      FIRMQUOTE_OIDC_ISSUER: 'https://login.example.com',
      FIRMQUOTE_OIDC_CLIENT_ID: 'firmquote',
      FIRMQUOTE_OIDC_CLIENT_SECRET: 'a-secret-of-the-service',
      FIRMQUOTE_OIDC_ROLES: roles,
    });
    const application = await startApplication(
      config,
      createLogger('warn', { write: (line) => void lines.push(line) }),
    );
    await application.stop();
    return lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => String(msg).startsWith('FIRMQUOTE_OIDC_ROLES'))
      .map((line) => line.roles);
  };
  assert.deepEqual(await warnings('a=dealer,b=night-desk+administrator'), []);
  assert.deepEqual(await warnings('a=deeler,b=night-desk+deeler,c=viewers'), [['deeler', 'viewers']]);
});
