import { useEffect, useRef } from 'react';
import type { Place } from './places.ts';

export interface KeyActions {
  readonly palette: () => void;
  readonly keys: () => void;
  readonly ticket: () => void;
  readonly pause: () => void;
  readonly go: (to: string) => void;
  /** Where `g` and a letter goes. */
  readonly places: readonly Place[];
}

const PLACE = 'firmquote.keys';
/** How long `g` waits for the letter of a page. */
const CHORD_MS = 1_500;

/** Keys of one character can be switched off: speech and shaky hands press them by accident. */
export function areSingleKeysOn(): boolean {
  try {
    return localStorage.getItem(PLACE) !== 'off';
  } catch {
    return true;
  }
}

export function switchSingleKeys(isOn: boolean): void {
  try {
    localStorage.setItem(PLACE, isOn ? 'on' : 'off');
  } catch {
    // A browser that keeps nothing has them on.
  }
}

export function useKeys(actions: KeyActions): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    let chordAt = 0;
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        current.current.palette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || !areSingleKeysOn() || isElsewhere(event.target))
        return;
      const isChord = performance.now() - chordAt < CHORD_MS;
      chordAt = event.key === 'g' ? performance.now() : 0;
      if (act(current.current, event.key, isChord)) event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    // Before anything on the page hears of it.
    document.addEventListener('keydown', letGo, true);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('keydown', letGo, true);
    };
  }, []);
}

function act(actions: KeyActions, key: string, isChord: boolean): boolean {
  const place = isChord ? actions.places.find((each) => each.key === key) : undefined;
  if (place !== undefined) actions.go(place.to);
  else if (key === '?') actions.keys();
  else if (key === 'n') actions.ticket();
  else if (key === 'P') actions.pause();
  else if (key === '/') document.querySelector<HTMLElement>('.filters input, .filters select')?.focus();
  else return false;
  return true;
}

/** Enter that is held is pressed once: what has the focus by then was not looked at when it was pressed. */
function letGo(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !event.repeat || event.target instanceof HTMLTextAreaElement) return;
  event.preventDefault();
  event.stopPropagation();
}

function isElsewhere(target: EventTarget | null): boolean {
  // Nothing beneath a dialog is at work, wherever the focus is.
  if (document.querySelector('dialog:modal') !== null) return true;
  return target instanceof HTMLElement && target.matches('input, select, textarea, [contenteditable]');
}
