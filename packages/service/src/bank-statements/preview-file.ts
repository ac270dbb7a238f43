import type { StatementFilePreview } from '@firmquote/api/operations/statement-preview';
import { type ByteSource, StatementRefusal } from '@firmquote/bank-formats';
import { FilePreview } from './file-preview.ts';
import { findSameFile } from './file-store.ts';
import { fileName } from './import-file.ts';
import { inTurn } from './import-turns.ts';
import { requireSound } from './mappings.ts';
import { ownAccounts } from './own-accounts.ts';
import { type ReadAs, type ReadFile, readFile } from './read-file.ts';
import type { StatementsRoom } from './room.ts';
import { fileView } from './view.ts';

interface PreviewedFile extends ReadAs {
  readonly name: string;
  readonly sha256: string;
  readonly bytes: ByteSource;
}

/**
 * Reads a file as an import would, and tells what it has found. Nothing is written, and no connection held: it takes its turn among the
 * imports of the process, because reading takes as long.
 * @throws Problem validation_failed, statement_mapping_not_found, overloaded
 */
export async function previewFile(
  { pool, clock }: Pick<StatementsRoom, 'pool' | 'clock'>,
  given: PreviewedFile,
): Promise<StatementFilePreview> {
  if (given.draft !== undefined) requireSound(given.draft, '/query/draftMapping');
  const name = fileName(given.name);
  return inTurn(pool, async () => {
    const preview = new FilePreview(await ownAccounts(pool));
    let read: ReadFile | undefined;
    let refusal: StatementFilePreview['refusal'] = null;
    try {
      read = await readFile(pool, { name, receivedAt: clock.now() }, given);
      for await (const events of read.events()) preview.add(events);
    } catch (error) {
      if (!(error instanceof StatementRefusal)) throw error;
      const { code: reason, line = null, message: detail } = error;
      refusal = { reason, line, detail };
    }
    const { format = null, mapping = null } = read ?? {};
    const before = await findSameFile(pool, given.sha256);
    return {
      ...{ name, format, mapping, refusal },
      receivedBefore: before === undefined ? null : fileView(before),
      ...(await preview.view(pool)),
    };
  });
}
