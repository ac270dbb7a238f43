import { signInAddress } from '../api/session.ts';
import { Dialog } from '../parts/dialog.tsx';

/** The session is over, or is not fresh enough. What was filled in is in the address, and is there after signing in. */
export function SignInDialog({ isFresh }: { readonly isFresh: boolean }) {
  const later = () => window.dispatchEvent(new Event('firmquote:later'));
  return (
    <Dialog label={isFresh ? 'Sign in again' : 'You are signed out'} onClose={later}>
      <div>
        <h2>{isFresh ? 'This needs a fresh sign-in' : 'Your session has ended'}</h2>
        <p>
          {isFresh
            ? 'Nothing has been done yet. Sign in again to return to this page as you left it.'
            : 'Sign in to return to this page as you left it.'}
        </p>
        <div className="actions">
          <a className="button first" href={signInAddress(isFresh)}>
            Sign in
          </a>
          {isFresh && (
            <button type="button" className="button" onClick={later}>
              Not now
            </button>
          )}
        </div>
      </div>
    </Dialog>
  );
}
