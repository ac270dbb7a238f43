import { SETTINGS } from '../../packages/service/src/config.ts';
import { code, type Page, page, table } from './page.ts';

export function settingsPage(): Page {
  const rows = Object.entries(SETTINGS).map(([name, { default: fallback, meaning }]) => [
    code(name),
    fallback === undefined ? '' : code(fallback),
    meaning,
  ]);
  return page('settings.md', 'Settings', 'packages/service/src/config.ts', [
    'All settings are environment variables. A wrong value, and an unknown name that begins with `FIRMQUOTE_`, ends the',
    'start with one line that names the variable. Names that begin with `FIRMQUOTE_TEST_` are passed over: they belong',
    'to the tests.',
    '',
    ...table(['Setting', 'Default', 'Meaning'], rows),
  ]);
}
