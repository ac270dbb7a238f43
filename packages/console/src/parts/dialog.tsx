import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { Aloud } from './aloud.tsx';
import { giveBack } from './focus.ts';

/** A dialog of the browser's own: it holds the focus, gives it back, and closes by Escape where it may be closed. */
export function Dialog({
  label,
  className = '',
  isHeld = false,
  onClose,
  children,
}: {
  readonly label: string;
  readonly className?: string;
  /** What is under way in it, or shown only once, would be lost: nothing but the page itself closes it. */
  readonly isHeld?: boolean;
  /** Without it nothing closes the dialog; the page may be left all the same. */
  readonly onClose?: (() => void) | undefined;
  readonly children: ReactNode;
}) {
  const place = useRef<HTMLDialogElement>(null);
  const stays = isHeld || onClose === undefined;
  useBlocker({
    // What is done moves on by itself.
    shouldBlockFn: ({ action }) => action !== 'PUSH' && action !== 'REPLACE',
    enableBeforeUnload: isHeld,
    disabled: !isHeld,
  });
  useEffect(() => {
    if (!stays) return;
    const refuse = (event: KeyboardEvent) => {
      if ([...document.querySelectorAll('dialog:modal')].at(-1) !== place.current) return;
      // A browser lets a page refuse the first Escape only, unless it hears of none; and what had the focus may be gone.
      if (event.key === 'Escape') event.preventDefault();
      // The palette leads elsewhere.
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        event.stopPropagation();
      }
    };
    document.addEventListener('keydown', refuse, true);
    return () => document.removeEventListener('keydown', refuse, true);
  }, [stays]);
  // Before what is in it goes: else the focus would be looked for elsewhere first.
  useLayoutEffect(() => {
    const opener = document.activeElement;
    const dialog = place.current;
    if (dialog !== null && !dialog.open) dialog.showModal();
    return () => {
      dialog?.close();
      giveBack(opener);
    };
  }, []);
  return (
    <dialog
      ref={place}
      className={`dialog ${className}`}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault();
        if (!stays) onClose();
      }}
      // A browser lets a page refuse some closings only. What the page still shows is open, and nobody would open it again.
      onClose={() => {
        if (place.current?.isConnected === true && !place.current.open) place.current.showModal();
      }}
    >
      {children}
      <Aloud />
    </dialog>
  );
}
