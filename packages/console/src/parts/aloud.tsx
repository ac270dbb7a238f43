/** How long what was said stays to be read, ms. */
const KEPT_MS = 10_000;

/** Where what happens is said to whoever does not see it. It stands there before anything is said, or nothing is heard. */
export function Aloud() {
  return <div className="aloud hidden" aria-live="polite" aria-relevant="additions" />;
}

/** Says something, when nothing else is being said. Under a dialog nothing is heard, so the dialog on top says it. */
export function say(text: string): void {
  const places = document.querySelectorAll('.aloud');
  const onTop = [...places].findLast((place) => place.closest('dialog')?.matches(':modal') === true);
  const line = document.createElement('p');
  line.textContent = text;
  (onTop ?? places[0])?.append(line);
  setTimeout(() => line.remove(), KEPT_MS);
}
