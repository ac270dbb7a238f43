/** Drawn here, so that nothing is loaded for a handful of lines. */
const PATHS = {
  ok: 'M3 8.5l3.2 3.2L13 5',
  warn: 'M8 2l6.5 11.5h-13zM8 6.5v3.2M8 11.6v.2',
  bad: 'M4 4l8 8M12 4l-8 8',
  idle: 'M8 3.5v5l3 2M8 1.5a6.5 6.5 0 100 13 6.5 6.5 0 000-13',
} as const;

export type Mood = keyof typeof PATHS;

export function Icon({ name }: { readonly name: Mood }) {
  return (
    <svg viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="2" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Mark() {
  return (
    <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2.4" aria-hidden="true">
      <path d="M5 21V4h14M5 12h10" />
      <path d="M15 17l3 3 4-6" />
    </svg>
  );
}
