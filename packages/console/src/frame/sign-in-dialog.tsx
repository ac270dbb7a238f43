import { signInAddress } from '../api/session.ts';
import { Dialog } from '../parts/dialog.tsx';

/** The session is over, or is not fresh enough. What was filled in is in the address, and is there after signing in. */
export function SignInDialog({ isFresh }: { readonly isFresh: boolean }) {
  const later = () => window.dispatchEvent(new Event('firmquote:later'));
  return (
    <Dialog label={isFresh ? 'Sign in again' : 'You are signed out'} onClose={later}>
      <div>
        <h2>{isFresh ? 'This takes a fresh sign-in' : 'Your session is over'}</h2>
        <p>
          {isFresh
            ? 'Nothing was done yet. Sign in once more; you come back to this page as it is.'
            : 'Sign in to go on. You come back to this page as it is.'}
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
