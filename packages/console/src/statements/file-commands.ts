import { operator } from '../api/session.ts';
import type { PageCommand } from '../parts/page-command.ts';

export const DELETE_FILE: PageCommand<undefined> = {
  label: 'Delete the file',
  scope: 'operator:statements',
  why: 'none',
  about: 'Nothing of it was booked. Its bytes are deleted, too: whoever wants it back imports it again.',
  done: 'The file is deleted.',
  send: ([fileId = '']) => operator.deleteStatementFile(fileId),
};
