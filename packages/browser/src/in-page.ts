import type { ConsolePage } from './chromium.ts';

/**
 * What is asked of every page for those who have no mouse, little sight, or large text. Each answers its faults in words, none where
 * all is well. The programs run in the page.
 */

const STEPS_MAX = 400;

const HELPERS = `
  const called = (element) => {
    const name = (element.getAttribute('aria-label') ?? element.innerText ?? '').trim().replace(/\\s+/g, ' ').slice(0, 40);
    return element.tagName.toLowerCase() + (element.id === '' ? '' : '#' + element.id) + ' "' + name + '"';
  };
  const isShown = (element) =>
    element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) &&
    element.getClientRects().length > 0;
  const scope = () => [...document.querySelectorAll('dialog')].findLast((dialog) => dialog.matches(':modal')) ?? document.body;
  const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex], [contenteditable]';
  // A dialog may have been opened from a row of a table that scrolls: it stands above it, and does not scroll with it.
  const mayBeBeyond = (element) => scope().contains(element.closest('.table-box, .effects, .hidden, .skip'));
  const isAcross = () => scope() !== document.body && scope().scrollWidth > scope().clientWidth + 1;
  const overEdge = () =>
    [...scope().querySelectorAll('*')]
      .filter((element) => element instanceof HTMLElement && isShown(element) && !mayBeBeyond(element))
      .filter((element) => { const { left, right } = element.getBoundingClientRect(); return left < -1 || right > innerWidth + 1; })
      .map((element) => 'goes over the edge: ' + called(element));
  const isFirstRadio = (element) =>
    element.type !== 'radio' || element.checked ||
    ![...document.querySelectorAll('input[type=radio]')].some(({ name, checked }) => name === element.name && checked);
  const reachable = () =>
    [...scope().querySelectorAll(FOCUSABLE)].filter(
      (element) => element.tabIndex >= 0 && !element.matches(':disabled, [type=hidden]') && element.closest('[inert]') === null && isShown(element) && isFirstRadio(element),
    );
`;

/** Kept in the page between two steps of a walk. */
const BEGIN = `{
  ${HELPERS}
  const REGIONS = 'dialog, .drawer, .top, .nav, .main, .status';
  const seen = new Set();
  const order = [];
  const faults = new Set();
  const expected = reachable();
  for (const element of document.querySelectorAll('[tabindex]'))
    if (element.tabIndex > 0) faults.add('is put out of its order by tabindex: ' + called(element));
  const boxOf = (element, region) => {
    // A box that covers its own children, such as a table that scrolls, begins where it begins.
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const isMoving = region === null || !/fixed|sticky/.test(getComputedStyle(region).position);
    const [x, y] = isMoving ? [scrollX, scrollY] : [region.scrollLeft, region.scrollTop];
    return { left: left + x, right: right + x, top: top + y, bottom: bottom + y };
  };
  const looks = (element) => {
    const shownBy = element.matches('input[type=file]') ? (element.closest('label') ?? element) : element;
    const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(shownBy);
    if (outlineStyle === 'none' || Number.parseFloat(outlineWidth) < 2) faults.add('does not show that it has the focus: ' + called(element));
    const box = shownBy.getBoundingClientRect();
    const far = Number.parseFloat(outlineOffset) + Number.parseFloat(outlineWidth);
    const sides = { left: box.left - far, top: box.top - far, right: -box.right - far, bottom: -box.bottom - far };
    const cut = new Set();
    for (let around = shownBy.parentElement; around !== null && around !== document.body; around = around.parentElement) {
      const { overflowX, contain } = getComputedStyle(around);
      if (overflowX === 'visible' && !/paint|strict|content/.test(contain)) continue;
      const frame = around.getBoundingClientRect();
      const edges = { left: frame.left, top: frame.top, right: -frame.right, bottom: -frame.bottom };
      for (const side of Object.keys(edges)) if (sides[side] < edges[side] - 1) cut.add(side);
      // What is scrolled away inside of a box comes back by scrolling it.
      if (around.matches('dialog, .drawer')) break;
    }
    if (cut.size > 2) faults.add('shows its focus where it is cut off, ' + [...cut] + ': ' + called(element));
  };
  const isCovered = (element) => {
    const box = element.getBoundingClientRect();
    const [left, right] = [Math.max(1, box.left + 2), Math.min(innerWidth - 1, box.right - 2)];
    const [top, bottom] = [Math.max(1, box.top + 2), Math.min(innerHeight - 1, box.bottom - 2)];
    if (left > right || top > bottom) return 'out of sight';
    const points = [[(left + right) / 2, (top + bottom) / 2], [left, top], [right, top], [left, bottom], [right, bottom]];
    const isHit = ([x, y]) => {
      const hit = document.elementFromPoint(x, y);
      return hit !== null && (element.contains(hit) || hit.contains(element) || hit.closest('label')?.contains(element));
    };
    return points.some(isHit) ? undefined : 'covered by ' + called(document.elementFromPoint(...points[0]) ?? document.body);
  };
  let before;
  window.walk = {
    expected: expected.length,
    faults,
    missed: () => expected.filter((element) => element.isConnected && !seen.has(element) && isShown(element)).map((element) => 'is not reached by Tab: ' + called(element)),
    /** Answers whether it has come around. */
    step: () => {
      const element = document.activeElement;
      if (element === null || element === document.body) {
        before = undefined;
        return seen.size >= expected.length;
      }
      // A field of a date has a stop for each of its parts.
      if (seen.has(element)) return element !== before?.element || !element.matches('[type=date], [type=datetime-local]');
      seen.add(element);
      order.push(called(element));
      if (!isShown(element) || element.closest('[aria-hidden=true], [inert]')) faults.add('has the focus and is hidden: ' + called(element));
      else looks(element);
      const how = isCovered(element);
      if (how !== undefined) faults.add('has the focus and is ' + how + ': ' + called(element));
      const region = element.closest(REGIONS);
      const box = boxOf(element, region);
      if (before !== undefined && before.region === region && !before.element.contains(element)) {
        const isAbove = box.bottom <= before.box.top + 1 && box.left < before.box.right;
        const isBehind = box.right <= before.box.left + 1 && box.bottom > before.box.top + 4 && box.top < before.box.bottom - 4;
        if (isAbove || isBehind) faults.add('comes before ' + called(before.element) + ' on the page and after it by Tab: ' + called(element));
      }
      before = { element, region, box };
      return false;
    },
  };
  document.activeElement?.blur?.();
}`;

/** Goes through a page by Tab: everything is reached, in the order of sight, shows it, and is not covered. */
export async function faultsOfWalk(page: ConsolePage): Promise<string[]> {
  await page.evaluate(BEGIN);
  for (let steps = 0; ; steps++) {
    if (steps > STEPS_MAX) return ['the end is never reached by Tab'];
    await page.keyboard.press('Tab');
    if ((await page.evaluate('walk.step()')) === true) break;
  }
  return (await page.evaluate('[...walk.faults, ...walk.missed()]')) as string[];
}

/** 2.5.8: 24 by 24, or in a line of text, or with as much room around it; what is drawn by the browser itself is left out. */
export async function faultsOfTargets(page: ConsolePage): Promise<string[]> {
  return (await page.evaluate(`{
    ${HELPERS}
    const isInText = (element) => getComputedStyle(element).display === 'inline' && element.parentElement.innerText.trim() !== element.innerText.trim();
    const targets = reachable().filter((element) => element.matches('a, button, input, select, textarea, summary'));
    const area = (element) => {
      const label = element.labels?.[0] ?? element.closest('label');
      const boxes = [element.getBoundingClientRect(), ...(label && element.matches('[type=checkbox], [type=radio]') ? [label.getBoundingClientRect()] : [])];
      return { width: Math.max(...boxes.map(({ width }) => width)), height: Math.max(...boxes.map(({ height }) => height)) };
    };
    const small = targets.filter((element) => { const { width, height } = area(element); return width < 23.5 || height < 23.5; });
    const middle = (element) => { const box = element.getBoundingClientRect(); return [(box.left + box.right) / 2, (box.top + box.bottom) / 2]; };
    const isNear = (one, other) => {
      const [x, y] = middle(one);
      const box = other.getBoundingClientRect();
      const [dx, dy] = [Math.max(box.left - x, 0, x - box.right), Math.max(box.top - y, 0, y - box.bottom)];
      return Math.hypot(dx, dy) < 12;
    };
    small.filter((element) => !isInText(element) && targets.some((other) => other !== element && !element.contains(other) && !other.contains(element) && isNear(element, other)))
      .map((element) => { const { width, height } = area(element); return 'is smaller than 24 by 24, ' + width.toFixed(0) + ' by ' + height.toFixed(0) + ': ' + called(element); });
  }`)) as string[];
}

/** Texts that are cut off; those that say so themselves, by an ellipsis, are whole in what they are called by. */
const CLIPPED = `
    const isCut = (element) => {
      if (!isShown(element) || element.closest('.hidden, .skip') || element.matches('input, select, textarea, option')) return false;
      const { overflowX, overflowY, contain, textOverflow } = getComputedStyle(element);
      const cuts = (overflow) => /hidden|clip/.test(overflow) || /paint|strict|content/.test(contain);
      if (textOverflow === 'ellipsis') return false;
      return (cuts(overflowX) && element.scrollWidth > element.clientWidth + 1) || (cuts(overflowY) && element.scrollHeight > element.clientHeight + 1);
    };
    const cut = [...document.querySelectorAll('body *')].filter((element) => element instanceof HTMLElement && element.innerText?.trim() !== '' && isCut(element))
      .map((element) => 'is cut off, ' + element.scrollWidth + ' by ' + element.scrollHeight + ' in ' + element.clientWidth + ' by ' + element.clientHeight + ': ' + element.className + ' ' + called(element));
`;

/** 1.4.12: lines, letters, words and paragraphs farther apart, and nothing is lost. */
export async function faultsOfSpacing(page: ConsolePage): Promise<string[]> {
  return (await page.evaluate(`{
    ${HELPERS}
    const apart = new CSSStyleSheet();
    apart.replaceSync('* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }');
    document.adoptedStyleSheets = [apart];
    ${CLIPPED}
    const wide = document.documentElement.scrollWidth > innerWidth ? overEdge().map((fault) => fault + ' with its text apart') : [];
    document.adoptedStyleSheets = [];
    [...new Set([...cut, ...wide])];
  }`)) as string[];
}

/** 1.4.10: at 400 % nothing is read in two directions but tables. */
export async function faultsOfReflow(page: ConsolePage): Promise<string[]> {
  return (await page.evaluate(`{
    ${HELPERS}
    const faults = document.documentElement.scrollWidth > innerWidth ? ['the page is ' + document.documentElement.scrollWidth + ' wide'] : [];
    faults.push(...(isAcross() ? ['the dialog is read in two directions'] : []), ...overEdge());
    ${CLIPPED}
    [...new Set([...faults, ...cut])];
  }`)) as string[];
}

/** Nothing moves, fades or slides. */
export async function faultsOfMotion(page: ConsolePage): Promise<string[]> {
  return (await page.evaluate(
    `document.getAnimations().map(({ effect, animationName, transitionProperty }) => 'moves: ' + (animationName ?? transitionProperty) + ' of ' + effect?.target?.className)`,
  )) as string[];
}

/** Numbers with their currency, and short words: what is broken within is misread. What is written to be copied may break anywhere. */
const WHOLE = `
  const WHOLE = /(?<![\\w.:/−+-])[−+-]?\\d[\\d,]*(?:\\.\\d+)?(?: [A-Z]{3})?(?![\\w:/-])|(?<![\\w-])[A-Za-z]{2,11}(?![\\w-])/g;
  const linesOf = (node, from, to) => {
    const range = document.createRange();
    range.setStart(node, from);
    range.setEnd(node, to);
    const tops = [...range.getClientRects()].filter(({ width }) => width > 0).map(({ top, height }) => Math.round(top + height / 2));
    return tops.filter((top, at) => at === 0 || Math.abs(top - tops[at - 1]) > 4).length;
  };`;

/** No number and no short word of the page is broken over two lines. */
export async function faultsOfBreaks(page: ConsolePage): Promise<string[]> {
  return (await page.evaluate(`(() => {
    ${HELPERS} ${WHOLE}
    const found = new Set();
    const texts = document.createTreeWalker(scope(), NodeFilter.SHOW_TEXT);
    for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
      const around = node.parentElement;
      if (around === null || around.closest('.mono, pre, code, .hidden, option, script, style') || !isShown(around)) continue;
      for (const match of node.data.matchAll(WHOLE))
        if (linesOf(node, match.index, match.index + match[0].length) > 1)
          found.add('is broken over lines: ' + match[0] + ' in ' + called(around));
    }
    return [...found];
  })()`)) as string[];
}
