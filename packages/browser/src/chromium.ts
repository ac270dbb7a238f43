import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** A Chromium of this package's own installation, which has a lock file of its own. */

const MODULES = join(import.meta.dirname, '../node_modules');
const DRIVER = join(MODULES, 'playwright-core/index.mjs');
const BINARIES = join(MODULES, '@sparticuz/chromium/build/index.js');
/** A step takes half a second, and the largest page two; where ten programs share a core they take twenty times as long. */
const STEP_LIMIT_MS = 60_000;

/** Who unpacks takes seconds; whoever else wants it looks again after so long. */
const UNPACKED_LIMIT_MS = 30_000;
const LOOK_AGAIN_MS = 250;

/** What is used of Playwright, whose own types are there only once it is installed. */
export interface Place {
  first(): Place;
  setInputFiles(file: {
    readonly name: string;
    readonly mimeType: string;
    readonly buffer: Buffer;
  }): Promise<void>;
  click(options?: { readonly force: boolean }): Promise<void>;
  fill(text: string): Promise<void>;
  check(): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  waitFor(): Promise<void>;
  textContent(): Promise<string | null>;
  allTextContents(): Promise<string[]>;
}
export interface Answer {
  url(): string;
  request(): { method(): string; postData(): string | null; headers(): Readonly<Record<string, string>> };
  status(): number;
  text(): Promise<string>;
}
export interface Page {
  readonly keyboard: {
    press(key: string): Promise<void>;
    type(text: string): Promise<void>;
    down(key: string): Promise<void>;
    up(key: string): Promise<void>;
  };
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  screenshot(options: { readonly path: string; readonly fullPage: boolean }): Promise<unknown>;
  emulateMedia(media: { readonly colorScheme: 'light' | 'dark' }): Promise<void>;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  evaluate(program: string): Promise<unknown>;
  locator(selector: string, options?: { readonly hasText: string }): Place;
  getByRole(role: string, options: { readonly name: string | RegExp }): Place;
  getByLabel(text: string, options?: { readonly exact: boolean }): Place;
  getByPlaceholder(text: string): Place;
  waitForResponse(isMeant: (answer: Answer) => boolean): Promise<Answer>;
  route(pattern: string, answer: (route: Route) => Promise<void>): Promise<void>;
  on(event: 'pageerror', heard: (error: Error) => void): void;
  on(event: 'request', heard: (request: { url(): string; method(): string }) => void): void;
  on(event: 'response', heard: (answer: Answer) => void): void;
  on(event: 'console', heard: (message: Message) => void): void;
  setDefaultTimeout(limitMs: number): void;
}
export interface Message {
  type(): string;
  text(): string;
  location(): { readonly url: string };
}
export interface Route {
  request(): { url(): string };
  fulfill(answer: { readonly contentType: string; readonly body: string | Buffer }): Promise<void>;
}
/** What one person's browser remembers. */
export interface Context<P = Page> {
  newPage(): Promise<P>;
  cookies(): Promise<
    readonly {
      readonly name: string;
      readonly path: string;
      readonly expires: number;
      readonly secure: boolean;
      readonly httpOnly: boolean;
      readonly sameSite: string;
    }[]
  >;
  newCDPSession(page: P): Promise<{ send(method: string, params?: object): Promise<unknown> }>;
}
export interface Browser {
  newPage(): Promise<Page>;
  newContext<P = Page>(options?: object): Promise<Context<P>>;
  close(): Promise<void>;
}

/** What is used of a page where its network, its clock and its size are changed. */
export interface ConsolePlace extends Place {
  first(): ConsolePlace;
  waitFor(options?: { readonly state: 'attached' | 'detached' }): Promise<void>;
  dblclick(options?: { readonly timeout: number }): Promise<void>;
  count(): Promise<number>;
  allInnerTexts(): Promise<readonly string[]>;
  focus(): Promise<void>;
  inputValue(): Promise<string>;
  getAttribute(name: string): Promise<string | null>;
  isDisabled(): Promise<boolean>;
  locator(selector: string, options?: { readonly hasText: string | RegExp }): ConsolePlace;
  getByLabel(text: string, options?: { readonly exact: boolean }): ConsolePlace;
  getByRole(role: string, options: { readonly name: string | RegExp }): ConsolePlace;
}
export interface ConsoleRoute {
  request(): { method(): string; headers(): Readonly<Record<string, string>>; url(): string };
  fetch(): Promise<unknown>;
  abort(reason?: string): Promise<void>;
  fulfill(answer: {
    readonly status: number;
    readonly contentType: string;
    readonly body: string;
  }): Promise<void>;
  continue(options?: { readonly url: string }): Promise<void>;
}
export interface ConsolePage extends Omit<Page, 'locator' | 'getByRole' | 'route'> {
  readonly clock: { install(): Promise<void>; fastForward(ms: number): Promise<void> };
  context(): {
    close(): Promise<void>;
    newPage(): Promise<ConsolePage>;
    newCDPSession(page: ConsolePage): Promise<{ send(method: string, params?: object): Promise<unknown> }>;
  };
  waitForEvent(event: 'download'): Promise<{ suggestedFilename(): string }>;
  addInitScript(program: string): Promise<unknown>;
  goBack(): Promise<unknown>;
  goForward(): Promise<unknown>;
  url(): string;
  locator(selector: string, options?: { readonly hasText: string | RegExp }): ConsolePlace;
  getByRole(role: string, options: { readonly name: string | RegExp }): ConsolePlace;
  route(pattern: string | RegExp, answer: (route: ConsoleRoute) => Promise<void>): Promise<void>;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
}

/** What looks for obstacles; it is run in the page. */
export const AXE = join(MODULES, 'axe-core/axe.min.js');

/** Where Chromium lies, which is unpacked into TMPDIR first where it is not there. */
export async function unpackBrowser(): Promise<string> {
  const { default: binaries } = await import(pathToFileURL(BINARIES).href);
  return binaries.executablePath();
}

/** Answers a browser, or why there is none. */
export async function openBrowser(): Promise<Browser | string> {
  if (!existsSync(DRIVER) || !existsSync(BINARIES))
    return 'Chromium is not installed: run node scripts/setup-kits.mjs';
  try {
    const { chromium } = await import(pathToFileURL(DRIVER).href);
    return await onceUnpacked(async () =>
      chromium.launch({
        executablePath: await unpackBrowser(),
        args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
        timeout: STEP_LIMIT_MS,
      }),
    );
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    return `Chromium does not start here: ${reason}`;
  }
}

/** As long as another process is writing it, it can be neither started nor written. */
async function onceUnpacked<T>(work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + UNPACKED_LIMIT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > deadline || !/ETXTBSY/.test(String(error))) throw error;
      await sleep(LOOK_AGAIN_MS);
    }
  }
}

export async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(STEP_LIMIT_MS);
  return page;
}

/** In a window of its own, which knows nobody. */
export async function openConsolePage(browser: Browser, options: object): Promise<ConsolePage> {
  const context = await browser.newContext<ConsolePage>(options);
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_LIMIT_MS);
  return page;
}

export async function openContext(
  browser: Browser,
): Promise<{ readonly context: Context; readonly page: Page }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(STEP_LIMIT_MS);
  return { context, page };
}
