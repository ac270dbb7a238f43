import { signInAddress } from '../api/session.ts';
import { Dialog } from '../parts/dialog.tsx';

/** The session is over or not fresh enough, or somebody else's by now. */
export type SignInNeed = 'sign-in' | 'fresh' | 'person';

const WORDS = {
  'sign-in': {
    label: 'You are signed out',
    heading: 'Your session has ended',
    text: 'Sign in to return to this page as you left it.',
  },
  fresh: {
    label: 'Sign in again',
    heading: 'This needs a fresh sign-in',
    text: 'Nothing has been done yet. Sign in again to return to this page as you left it.',
  },
  person: {
    label: 'Somebody else is signed in',
    heading: 'Somebody else is signed in',
    text: 'Another person has signed in to this browser in another tab. Nothing is sent from this page any more.',
  },
} as const;

/** What was filled in is in the address, and is there after signing in. */
export function SignInDialog({ need }: { readonly need: SignInNeed }) {
  const later = () => window.dispatchEvent(new Event('firmquote:later'));
  const { label, heading, text } = WORDS[need];
  return (
    <Dialog label={label} onClose={need === 'fresh' ? later : undefined}>
      <div>
        <h2>{heading}</h2>
        <p>{text}</p>
        <div className="actions">
          {need === 'person' ? (
            <a className="button first" href={`${location.pathname}${location.search}`}>
              Load the page again
            </a>
          ) : (
            <a className="button first" href={signInAddress(need === 'fresh')}>
              Sign in
            </a>
          )}
          {need === 'fresh' && (
            <button type="button" className="button" onClick={later}>
              Not now
            </button>
          )}
        </div>
      </div>
    </Dialog>
  );
}
