import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { writePrivate } from '../config/private-files.ts';
import { usage } from '../errors.ts';
import type { Kit, Register } from '../kit.ts';
import { fill } from '../operations/flags.ts';
import { operationOf } from '../operations/table.ts';
import { isRow } from '../output/fields.ts';

const COLUMNS = ['clientId', 'name', 'status', 'scopes', 'createdAt'];

export const register: Register = (group, kit) => {
  kit.operation(group, 'list', { id: 'listCredentials', columns: COLUMNS });
  withSecret(
    kit,
    kit.operation(group, 'create', { id: 'createCredential', summary: 'Create customer credentials' }),
    'createCredential',
  );
  withSecret(
    kit,
    kit.operation(group, 'rotate', {
      id: 'addCredentialSecret',
      summary: 'Add a secret to credentials; the old one works until it is revoked',
    }),
    'addCredentialSecret',
  );
  kit.operation(group, 'revoke', { id: 'revokeCredential', summary: 'Revoke credentials for good' });
  kit.operation(group, 'revoke-secret', { id: 'revokeCredentialSecret', summary: 'Revoke one secret' });
  kit.operation(group, 'revoke-tokens', {
    id: 'revokeCredentialTokens',
    summary: 'Revoke the tokens issued so far',
  });
  kit.operation(group, 'suspend', { id: 'suspendCredential' });
  kit.operation(group, 'resume', { id: 'resumeCredential' });
  kit.operation(group, 'set-keys', {
    id: 'setCredentialKeys',
    summary: 'Set public keys for signing in without a secret',
  });
  kit.operation(group, 'set-ip-allow-list', { id: 'setCredentialIpAllowList' });
  kit.operation(group, 'operators', {
    id: 'listOperatorClients',
    summary: "List operators' own credentials",
    columns: COLUMNS,
  });
  withSecret(
    kit,
    kit.operation(group, 'create-operator', {
      id: 'createOperatorClient',
      summary: 'Create operator credentials',
    }),
    'createOperatorClient',
  );
  withSecret(
    kit,
    kit.operation(group, 'rotate-operator', {
      id: 'addOperatorClientSecret',
      summary: "Add a secret to an operator's credentials",
    }),
    'addOperatorClientSecret',
  );
  kit.operation(group, 'revoke-operator', {
    id: 'revokeOperatorClient',
    summary: "Revoke an operator's credentials for good",
  });
};

/** The secret is in the answer, and nowhere ever after: it goes to stdout once, or to a file that its owner alone can read. */
function withSecret(kit: Kit, command: Command, id: string): void {
  command.option('--secret-to <file>', 'Write the secret to this file (mode 0600) instead of stdout').action(
    kit.run(async (cli, args, options) => {
      const operation = operationOf(id);
      const filled = await fill(cli.io, operation, args as string[], options);
      const service = await cli.service('operator');
      await service.confirmWrite(operation.summary);
      const path = typeof options.secretTo === 'string' ? resolve(cli.io.cwd, options.secretTo) : undefined;
      if (path === undefined) return show(cli, (await service.send(operation, filled)).data, path);
      await reserve(path);
      try {
        await show(cli, (await service.send(operation, filled)).data, path);
      } finally {
        await releaseEmpty(path);
      }
    }),
  );
}

/** Makes the file before the secret, which nobody would ever see where it could not be written. */
async function reserve(path: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await (await open(path, 'wx', 0o600)).close();
  } catch (error) {
    const { code, message, syscall } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && syscall === 'open')
      throw usage(`${path} already exists.`, 'Name another file, or move it away first.');
    throw usage(`${path} cannot be written: ${message}`, 'Name another file.');
  }
}

/** Where there was no secret after all, there is no file. */
async function releaseEmpty(path: string): Promise<void> {
  const size = await stat(path).then(
    (found) => found.size,
    () => undefined,
  );
  if (size === 0) await rm(path, { force: true });
}

async function show(cli: Cli, data: unknown, path: string | undefined): Promise<void> {
  if (!isRow(data) || typeof data.clientSecret !== 'string') {
    // A repetition with the same key does not show it again.
    await cli.print.one(data);
    return cli.note('The secret is not shown a second time. Create another: firmquote credentials rotate.');
  }
  if (path === undefined) {
    await cli.print.one(data);
    return cli.note('This is the only time that the secret is shown.');
  }
  const { clientSecret, ...rest } = data;
  await writePrivate(path, `${clientSecret}\n`);
  await cli.print.one(rest);
  await cli.note(`The secret is in ${path} and is not shown again.`);
}
