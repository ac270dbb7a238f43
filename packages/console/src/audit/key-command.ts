import { operator } from '../api/session.ts';
import { type PageCommand, REASON, text } from '../parts/page-command.ts';

export const REVOKE_KEY: PageCommand<undefined> = {
  label: 'Revoke',
  scope: 'operator:keys',
  // The reason is in the command itself.
  why: 'none',
  about:
    'For a key that is in other hands. It verifies nothing any more: tokens that it signed are refused, and the public keys list it as revoked. The next key signs at once.',
  done: 'The key is revoked.',
  asks: () => [REASON],
  send: ([kid = ''], { reason }) =>
    operator.revokeKey(kid, { reason: text(reason) }, { reason: text(reason) }),
};
