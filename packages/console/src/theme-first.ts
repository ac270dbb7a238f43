// Runs before anything is painted, so that nobody sees the other theme first.
try {
  const theme = localStorage.getItem('firmquote.theme');
  if (theme !== null) document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing has the system's theme.
}
