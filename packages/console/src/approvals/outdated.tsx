import { ApiError } from '@firmquote/client';
import type { Approval } from '@firmquote/client/operator';

/** What a proposal would change by now: its approval was refused because that is not what it was proposed to change. */
export interface EffectsNow {
  readonly effects: Approval['effects'];
  readonly effectsDigest: string;
}

/** Undefined where it was refused for something else, or can only be rejected. */
export function effectsNowOf(error: unknown): EffectsNow | undefined {
  if (!(error instanceof ApiError) || error.code !== 'proposal_outdated') return undefined;
  const { effects, effectsDigest } = error.members as Partial<EffectsNow>;
  return effects === undefined || typeof effectsDigest !== 'string' ? undefined : { effects, effectsDigest };
}

export function Outdated() {
  return (
    <div className="callout warn" role="alert">
      <h2>This would now do something else</h2>
      <p>
        What it changes has changed since it was proposed. Nothing was done. Read what it would change now,
        then approve that or reject it.
      </p>
    </div>
  );
}

/** Whoever presses twice has not read what came in between: the button works once they say that they have. */
export function ReadNow({
  isRead,
  onRead,
}: {
  readonly isRead: boolean;
  readonly onRead: (isRead: boolean) => void;
}) {
  return (
    <label className="check">
      <input type="checkbox" checked={isRead} onChange={({ target }) => onRead(target.checked)} /> I have read
      what it would change now
    </label>
  );
}
