import { type RefObject, useEffect, useRef } from 'react';

/**
 * What was done in a form that is gone, since what it was about is: a row that was deleted takes its form along before anybody has read
 * what became of it. It stands at the foot of the page until another form is opened, or another page.
 */
let left: string | undefined;
const listeners = new Set<() => void>();

export function watchLeftBehind(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function leftBehind(): string | undefined {
  return left;
}

export function setLeftBehind(text: string | undefined): void {
  left = text;
  for (const listener of listeners) listener();
}

/**
 * @param done what the form says, once it is done
 * @returns what closes the form for somebody who has read it
 */
export function useLeaving(done: string | undefined, onClose: () => void): () => void {
  const isClosed = useRef(false);
  const said: RefObject<string | undefined> = useRef(done);
  said.current = done;
  useEffect(() => {
    const { pathname } = location;
    setLeftBehind(undefined);
    return () => {
      if (!isClosed.current && said.current !== undefined && location.pathname === pathname)
        setLeftBehind(said.current);
    };
  }, []);
  return () => {
    isClosed.current = true;
    onClose();
  };
}
