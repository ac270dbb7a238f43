import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { Aloud } from './aloud.tsx';
import { giveBack } from './focus.ts';

/** A dialog of the browser's own: it holds the focus, gives it back, and closes by Escape. */
export function Dialog({
  label,
  className = '',
  onClose,
  children,
}: {
  readonly label: string;
  readonly className?: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const place = useRef<HTMLDialogElement>(null);
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
        onClose();
      }}
    >
      {children}
      <Aloud />
    </dialog>
  );
}
