import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { readSession } from '../api/session.ts';

/** Leaves by a form, since the service answers with a page. What it has to say is read first: another tab may have signed in anew. */
export function SignOut({ csrfToken }: { readonly csrfToken: string }) {
  const queries = useQueryClient();
  const token = useRef<HTMLInputElement>(null);
  const isUnderWay = useRef(false);
  const leave = async (form: HTMLFormElement) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    const session = await readSession({ signal: undefined }).catch(() => undefined);
    if (token.current !== null && session !== undefined) token.current.value = session.csrfToken;
    queries.clear();
    form.submit();
  };
  return (
    <form
      method="post"
      action="/auth/sign-out"
      onSubmit={(event) => {
        event.preventDefault();
        void leave(event.currentTarget);
      }}
    >
      <input ref={token} type="hidden" name="csrf_token" defaultValue={csrfToken} />
      <button type="submit" className="plain">
        Sign out
      </button>
    </form>
  );
}
