import type { StatementFileReport } from '@firmquote/client/operator';
import { CommandAction } from '../parts/command-action.tsx';
import { DELETE_FILE } from './file-commands.ts';

/** Of a file that was refused, or waits for a second person: it need not stand there for ever. */
export function DeleteFile({
  of: { fileId, name, status },
  onDone,
}: {
  readonly of: Pick<StatementFileReport, 'fileId' | 'name' | 'status'>;
  readonly onDone: () => void;
}) {
  return (
    <CommandAction
      name="delete-file"
      command={DELETE_FILE}
      subject={undefined}
      ids={[fileId]}
      isPossible={status !== 'accepted'}
      title={`Delete the file ${name}`}
      onDone={onDone}
    />
  );
}
