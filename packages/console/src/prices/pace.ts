/** Frames are looked at for so long, and then left alone for as long. */
const LOOK_MS = 3_000;
/** A frame in twenty that takes longer is too many. */
const SLOW_FRAME_MS = 25;
const PACES_MS = [50, 100, 200];
const CALM_LOOKS = 5;
/** Fewer say nothing: the page was not painted. */
const FRAMES_MIN = 10;

/**
 * How often prices are to come: 20 times a second, 10 or 5 where this machine cannot paint as fast, and faster again after half a
 * minute of calm.
 */
export class Pace {
  #step = 0;
  #calm = 0;

  get gapMs(): number {
    return PACES_MS[this.#step] ?? 0;
  }

  /** @param frames how long each took, ms */
  judge(frames: readonly number[]): void {
    if (frames.length < FRAMES_MIN) return;
    const sorted = frames.toSorted((a, b) => a - b);
    const slow = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? 0;
    if (slow > SLOW_FRAME_MS) {
      this.#step = Math.min(PACES_MS.length - 1, this.#step + 1);
      this.#calm = 0;
    } else if (++this.#calm >= CALM_LOOKS) {
      this.#step = Math.max(0, this.#step - 1);
      this.#calm = 0;
    }
  }
}

/** Measures while there is something to paint, and tells each new pace. */
export function keepPace(isPainting: () => boolean, notify: (gapMs: number) => void): () => void {
  const pace = new Pace();
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    if (isOver) return;
    if (!isPainting() || document.hidden) {
      timer = setTimeout(look, LOOK_MS);
      return;
    }
    const frames: number[] = [];
    let before: number | undefined;
    const began = performance.now();
    const frame = (at: number) => {
      if (isOver) return;
      if (before !== undefined) frames.push(at - before);
      before = at;
      if (performance.now() - began < LOOK_MS) {
        requestAnimationFrame(frame);
        return;
      }
      const was = pace.gapMs;
      if (!document.hidden) pace.judge(frames);
      if (pace.gapMs !== was) notify(pace.gapMs);
      timer = setTimeout(look, LOOK_MS);
    };
    requestAnimationFrame(frame);
  };
  timer = setTimeout(look, LOOK_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
