import assert from 'node:assert/strict';
import type { ConsolePage } from './chromium.ts';

/** A page in the hands of somebody who has no mouse: where the focus is, and how it gets elsewhere. */

const STEPS_MAX = 300;

/** What has the focus as a reader would call it, and whether it is in what lies on top. */
const FOCUSED = `(() => {
  const element = document.activeElement;
  const on = [...document.querySelectorAll('dialog')].findLast((dialog) => dialog.matches(':modal'));
  const label = element.labels?.[0]?.innerText ?? '';
  const name = element.getAttribute('aria-label') ?? (label === '' ? element.innerText : label) ?? '';
  const tag = element === document.body ? 'nothing' : element.tagName.toLowerCase();
  return [tag, name.trim().replace(/\\s+/g, ' ').slice(0, 80), on === undefined || on.contains(element)];
})()`;

export interface Focused {
  /** Element, or `nothing`. */
  readonly tag: string;
  readonly name: string;
  /** Whether nothing modal lies over it. */
  readonly isOnTop: boolean;
}

export async function focused(page: ConsolePage): Promise<Focused> {
  const [tag, name, isOnTop] = (await page.evaluate(FOCUSED)) as [string, string, boolean];
  return { tag, name, isOnTop };
}

/** Goes on by Tab, or back, until what has the focus is called so. */
export async function tabTo(
  page: ConsolePage,
  name: RegExp,
  key: 'Tab' | 'Shift+Tab' = 'Tab',
): Promise<void> {
  const passed: string[] = [];
  for (let steps = 0; steps < STEPS_MAX; steps++) {
    const at = await focused(page);
    if (name.test(at.name)) return;
    passed.push(at.name);
    await page.keyboard.press(key);
  }
  assert.fail(`${name} is not reached by ${key}; passed: ${[...new Set(passed)].join(' | ')}`);
}

/**
 * Reaches what is called so, and presses a key on it once that would do something: a button that is at work takes no second press, and
 * what it does may be seen before it is done.
 */
export async function press(page: ConsolePage, name: RegExp, key = 'Enter'): Promise<void> {
  await tabTo(page, name);
  await page.locator(':focus:not([aria-disabled="true"])').waitFor({ state: 'attached' });
  await page.keyboard.press(key);
}

/** Reaches a field, and types in place of what stands there, once the field would take it. */
export async function enter(page: ConsolePage, name: RegExp, text: string): Promise<void> {
  await tabTo(page, name);
  await page.locator(':focus:not([readonly])').waitFor({ state: 'attached' });
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}
