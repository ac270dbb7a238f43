import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A Chromium of this package's own installation, which has a lock file of its own. */

const MODULES = join(import.meta.dirname, '../node_modules');
const DRIVER = join(MODULES, 'playwright-core/index.mjs');
const BINARIES = join(MODULES, '@sparticuz/chromium/build/index.js');
/** A step takes half a second; a machine with other work takes many times as long as one of its own. */
const STEP_LIMIT_MS = 60_000;

/** What is used of Playwright, whose own types are there only once it is installed. */
export interface Place {
  first(): Place;
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  waitFor(): Promise<void>;
}
export interface Answer {
  url(): string;
  status(): number;
  text(): Promise<string>;
}
export interface Page {
  readonly keyboard: { press(key: string): Promise<void> };
  goto(url: string): Promise<unknown>;
  evaluate(program: string): Promise<unknown>;
  locator(selector: string, options?: { readonly hasText: string }): Place;
  getByRole(role: string, options: { readonly name: string | RegExp }): Place;
  getByPlaceholder(text: string): Place;
  waitForResponse(isMeant: (answer: Answer) => boolean): Promise<Answer>;
  route(pattern: string, answer: (route: Route) => Promise<void>): Promise<void>;
  on(event: 'pageerror', heard: (error: Error) => void): void;
  on(event: 'request', heard: (request: { url(): string }) => void): void;
  on(event: 'console', heard: (message: { type(): string; text(): string }) => void): void;
  setDefaultTimeout(limitMs: number): void;
}
export interface Route {
  request(): { url(): string };
  fulfill(answer: { readonly contentType: string; readonly body: string | Buffer }): Promise<void>;
}
export interface Browser {
  newPage(): Promise<Page>;
  close(): Promise<void>;
}

/** Answers a browser, or why there is none. */
export async function openBrowser(): Promise<Browser | string> {
  if (!existsSync(DRIVER) || !existsSync(BINARIES))
    return 'Chromium is not installed: run node scripts/setup-kits.mjs';
  try {
    const [{ chromium }, { default: binaries }] = await Promise.all(
      [DRIVER, BINARIES].map((path) => import(pathToFileURL(path).href)),
    );
    return await chromium.launch({
      executablePath: await binaries.executablePath(),
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
      timeout: STEP_LIMIT_MS,
    });
  } catch (error) {
    const [reason] = (error as Error).message.split('\n');
    return `Chromium does not start here: ${reason}`;
  }
}

export async function openPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  page.setDefaultTimeout(STEP_LIMIT_MS);
  return page;
}
