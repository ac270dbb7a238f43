export const THEMES = ['system', 'light', 'dark', 'contrast'] as const;
export type Theme = (typeof THEMES)[number];

const PLACE = 'firmquote.theme';
const listeners = new Set<() => void>();

export function watchTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function currentTheme(): Theme {
  const found = document.documentElement.dataset.theme;
  return THEMES.find((theme) => theme === found) ?? 'system';
}

export function setTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  for (const listener of listeners) listener();
  try {
    localStorage.setItem(PLACE, theme);
  } catch {
    // It lasts as long as the page then.
  }
}
