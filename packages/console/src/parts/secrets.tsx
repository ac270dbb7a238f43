import type { Approval } from '@firmquote/client/operator';
import { useId, useState } from 'react';
import { copy } from './states.tsx';

export type Secret = readonly [name: string, secret: string];

/** Of those that an answer may have, the ones that it has. */
export function shownOnce(
  ...secrets: readonly (readonly [name: string, secret: string | null | undefined])[]
): readonly Secret[] {
  return secrets.flatMap(([name, secret]) => (typeof secret === 'string' ? [[name, secret] as const] : []));
}

/** The one who proposes a client sees its secret; the one who approves an invitation sees its link. */
export function secretsOfApproval({ clientSecret, invitationLink }: Approval): readonly Secret[] {
  return shownOnce(['Client secret', clientSecret], ['Invitation link', invitationLink]);
}

/** What is shown once. The form stays until somebody says that it is stored. */
export function Secrets({
  secrets,
  isStored,
  onStored,
}: {
  readonly secrets: readonly Secret[];
  readonly isStored: boolean;
  readonly onStored: (isStored: boolean) => void;
}) {
  const id = useId();
  const [copied, setCopied] = useState<string>();
  return (
    <div className="callout warn">
      <h3>Shown only once</h3>
      {secrets.map(([name, secret]) => (
        <div className="secret" key={name}>
          <span className="hint">{name}</span>
          <code>{secret}</code>
          <button
            type="button"
            className="button"
            onClick={() => void copy(secret).then(() => setCopied(name))}
          >
            {copied === name ? 'Copied' : `Copy ${name.toLowerCase()}`}
          </button>
        </div>
      ))}
      <label className="check" htmlFor={id}>
        <input
          id={id}
          type="checkbox"
          checked={isStored}
          onChange={({ target }) => onStored(target.checked)}
        />
        I stored it
      </label>
    </div>
  );
}
