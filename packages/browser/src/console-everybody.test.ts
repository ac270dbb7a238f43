import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConsolePage } from './chromium.ts';
import { everyPage, furnish } from './every-page.ts';
import {
  faultsOfBreaks,
  faultsOfMotion,
  faultsOfReflow,
  faultsOfSpacing,
  faultsOfTargets,
  faultsOfWalk,
} from './in-page.ts';
import { LIMIT_MS, openFloor } from './test-support.ts';

/** Every page of the console by Tab alone, at 400 %, with text apart, without motion, and in the colours of the system. */

const { skip, service, signIn } = await openFloor();
const furniture = service && (await furnish(service));

const pages = furniture === undefined ? [] : everyPage(furniture);

async function eachPage(
  options: object,
  faultsOf: (page: ConsolePage, path: string) => Promise<readonly string[]>,
): Promise<void> {
  const { page, at, faults } = await signIn('Ada Approver', options);
  const found: string[] = [];
  for (const [path, what] of pages) {
    await page.goto(at(path));
    await page.locator(what).first().waitFor();
    found.push(...(await faultsOf(page, path)).map((fault) => `${path}: ${fault}`));
  }
  assert.deepEqual(found, []);
  assert.deepEqual(faults, []);
  await page.context().close();
}

test('Tab goes through every page in the order of sight, shows where it is, and nothing moves', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await eachPage({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' }, async (page) => [
    ...(await faultsOfMotion(page)),
    ...(await faultsOfTargets(page)),
    ...(await faultsOfSpacing(page)),
    ...(await faultsOfWalk(page)),
    ...(await faultsOfMotion(page)),
  ]);
});

test('at 400 % everything is there, in one direction, and is covered by nothing', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  await eachPage({ viewport: { width: 320, height: 256 } }, async (page) => [
    ...(await faultsOfReflow(page)),
    ...(await faultsOfBreaks(page)),
    ...(await faultsOfTargets(page)),
    ...(await faultsOfSpacing(page)),
    ...(await faultsOfWalk(page)),
  ]);
});

/** Whether what is chosen looks as what is not. */
const looksAlike = (page: ConsolePage, chosen: string, other: string) =>
  page.evaluate(`(() => {
    const look = (selector) => {
      const { borderBottomStyle, borderBottomWidth, borderBottomColor, outlineStyle, outlineWidth, backgroundColor, color } =
        getComputedStyle(document.querySelector(selector));
      const line = borderBottomStyle === 'none' ? '' : borderBottomWidth + borderBottomColor;
      return [line, outlineStyle === 'none' ? '' : outlineWidth, backgroundColor, color].join();
    };
    return look(${JSON.stringify(chosen)}) === look(${JSON.stringify(other)});
  })()`);

test('in the colours of the system, what is chosen, how far something is, and what has the focus can be told', {
  skip,
  timeout: LIMIT_MS,
}, async () => {
  const { page, at } = await signIn('Ada Approver', { forcedColors: 'active' });
  await page.goto(at(`/console/customers/${furniture?.customerId}`));
  await page.locator('progress').first().waitFor();
  const nav = ['.nav a[aria-current]', '.nav a:not([aria-current])'] as const;
  assert.equal(await looksAlike(page, ...nav), false, 'page');
  const tabs = ['.tabs [aria-current]', '.tabs button:not([aria-current])'] as const;
  assert.equal(await looksAlike(page, ...tabs), false, 'part of the page');
  await page.keyboard.press('Control+k');
  await page.locator('[role=option]').first().waitFor();
  const entries = ['[role=option][aria-selected=true]', '[role=option][aria-selected=false]'] as const;
  assert.equal(await looksAlike(page, ...entries), false, 'entry of the palette');
  await page.keyboard.press('Escape');
  await page.goto(at('/console/positions'));
  await page.locator('#result ~ .facts').first().waitFor();
  await page.goto(at('/console/markets?ticket=new&amount=1k'));
  await page.locator('.tile[data-state="live"]').first().waitFor();
  await page.locator('#ticket-amount').fill('1k');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('button', { name: /^Execute/ }).waitFor();
  const [adjust, outline] = (await page.evaluate(`[
    getComputedStyle(document.querySelector('.countdown progress')).forcedColorAdjust,
    getComputedStyle(document.activeElement).outlineWidth,
  ]`)) as string[];
  assert.equal(adjust, 'none', 'the time that is left keeps its colours');
  assert.equal(outline, '2px');
  // Icons take the colour of the text that they stand in.
  assert.equal(
    await page.evaluate(
      `[...document.querySelectorAll('svg')].every((icon) => icon.getAttribute('stroke') === 'currentColor')`,
    ),
    true,
  );
  await page.context().close();
});
