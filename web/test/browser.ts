import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type Page, chromium } from 'playwright-core';
import type { InProcessGateway } from '../../test/support/in-process.ts';
import { CHROMIUM, CHROMIUM_FLAGS } from './chromium.ts';

/** Why no browser test can run here; `false` if all can. */
export const noBrowser =
  CHROMIUM === undefined && 'no Chromium on this machine; install one, or name it with CHROMIUM_BIN';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A page of a browser, and what its console reported: no test expects anything there. */
export interface Tab extends AsyncDisposable {
  page: Page;
  faults: string[];
}

/** A browser that has used a one-time link of the gateway, by default with all rights. */
export async function openTab(
  gateway: InProcessGateway,
  options: TabOptions = {},
  rights: { scopes?: readonly string[]; organizationId?: string } = {},
): Promise<Tab> {
  const { directory } = gateway.accounts;
  const { secret } = await directory.createDashboardSession({ label: 'browser test', ...rights });
  const tab = await openPage(`${gateway.url}/dashboard/#link=${secret}`, options);
  await tab.page.getByRole('heading', { name: 'Now' }).waitFor();
  return tab;
}

/** A browser at the sign-in. */
export async function openSignedOut({ url }: Pick<InProcessGateway, 'url'>): Promise<Tab> {
  const tab = await openPage(`${url}/dashboard/`, {});
  await tab.page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor();
  return tab;
}

/** What a tab is opened with; only one with more than a size has a context of its own. */
interface TabOptions {
  viewport?: { width: number; height: number };
  permissions?: string[];
  timezoneId?: string;
}

const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM ?? '', args: CHROMIUM_FLAGS });

/**
 * One browser for all tabs of a process, and pages that are used again, empty: a start takes as long as most tests, and a
 * page in a context of its own twice the processor time.
 */
class SharedBrowser {
  #browser: Promise<Browser> | undefined;
  #tabs = 0;
  #idle: NodeJS.Timeout | undefined;
  #spare: Page[] = [];

  async open({ viewport = DEFAULT_VIEWPORT, ...own }: TabOptions): Promise<Page> {
    clearTimeout(this.#idle);
    this.#tabs += 1;
    if ((await this.#browser)?.isConnected() === false) {
      this.#browser = undefined; // it has crashed in the test before
      this.#spare = [];
    }
    this.#browser ??= launch().catch(launch); // Chromium crashes at times as it starts
    const browser = await this.#browser;
    const spare = isPlain(own) ? this.#spare.pop() : undefined;
    const page = spare ?? (await (await browser.newContext({ viewport, ...MOTION, ...own })).newPage());
    await page.setViewportSize(viewport);
    return page;
  }

  async close(page: Page, options: TabOptions): Promise<void> {
    const isEmpty = isPlain(options) && (await empty(page));
    if (isEmpty) this.#spare.push(page);
    else await page.context().close();
    this.#tabs -= 1;
    if (this.#tabs === 0) this.#idle = setTimeout(() => void this.#quit(), IDLE_MS);
  }

  async #quit(): Promise<void> {
    const browser = this.#browser;
    this.#browser = undefined;
    this.#spare = [];
    await (await browser)?.close();
  }
}

const isPlain = ({ permissions, timezoneId }: TabOptions): boolean =>
  permissions === undefined && timezoneId === undefined;

/** Playwright's own. */
const DEFAULT_VIEWPORT = { width: 1280, height: 720 };
/** What fades in has too little contrast until it is there. */
const MOTION = { reducedMotion: 'reduce' } as const;
const IDLE_MS = 1_000;
const shared = new SharedBrowser();

/** Removes what a test has left in a page and its context; returns whether it could. */
async function empty(page: Page): Promise<boolean> {
  try {
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    for (const event of ['console', 'pageerror', 'dialog', 'response'] as const)
      page.removeAllListeners(event);
    await page.unrouteAll();
    await page.goto(new URL('/', page.url()).href); // of the same site: any other would be shown by a new process
    await page.context().clearCookies();
    await page.emulateMedia({ colorScheme: null });
    return page.context().pages().length === 1;
  } catch {
    return false;
  }
}

async function openPage(url: string, options: TabOptions): Promise<Tab> {
  const page = await shared.open(options);
  page.setDefaultTimeout(TIMEOUT_MS);
  const faults: string[] = [];
  page.on('console', (message) => {
    if (/Content.Security.Policy|Warning|Error/.test(message.text())) faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(String(error)));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(url);
  return { page, faults, [Symbol.asyncDispose]: () => shared.close(page, options) };
}

const TIMEOUT_MS = 60_000;
const FITS_WITHIN_MS = 20_000;

/** The violations that axe finds, one line each. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.mouse.move(0, 0); // closes tooltips, which are outside of every landmark
  await page.waitForFunction(() => document.querySelector('[role=tooltip]') === null);
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as {
      axe: {
        run(
          options: object,
        ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
      };
    };
    const { violations } = await checker.run({ resultTypes: ['violations'] });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}

/** Columns of figures in a grid whose texts do not end below the end of their heading. */
export async function findMisaligned(page: Page, row: string): Promise<string[]> {
  return page.evaluate((selector) => {
    const endOf = (cell: Element): number => {
      const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      const range = document.createRange();
      while (texts.nextNode()) range.selectNodeContents(texts.currentNode);
      return range.getBoundingClientRect().right;
    };
    const heads = [...document.querySelectorAll('.tree-head > .end')];
    return [...document.querySelectorAll(selector)].flatMap((line) =>
      [...line.querySelectorAll(':scope > .end')].flatMap((cell, index) => {
        const [head] = heads.slice(index, index + 1);
        const isStraight = head && Math.abs(endOf(head) - endOf(cell)) < 2;
        return isStraight ? [] : [`${head?.textContent}: ${cell.textContent}`];
      }),
    );
  }, row);
}

interface Look {
  colorScheme: 'light' | 'dark';
  width: number;
  isChecked: boolean;
}

/** Each width is reached from the one before, so that a page is loaded once. The last is where a test goes on. */
const LOOKS: readonly Look[] = [
  { colorScheme: 'light', width: 2560, isChecked: false },
  { colorScheme: 'dark', width: 390, isChecked: true },
  { colorScheme: 'dark', width: 360, isChecked: false },
  { colorScheme: 'light', width: 1440, isChecked: true },
];

/**
 * What is wrong with a screen in both colour schemes and from 360 to 2560 px: what axe finds, and what is wider than the
 * screen. Ends at 1440 px in light colours. DASHBOARD_SCREENSHOTS names the folder for pictures (docs/dashboard), which a part
 * of a screen need not have.
 */
export async function inspect(page: Page, name: string, { hasPicture = true } = {}): Promise<string[]> {
  const found: string[] = [];
  for (const { colorScheme, width, isChecked } of LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    await page.waitForFunction(
      (scheme) => document.documentElement.dataset['mantineColorScheme'] === scheme,
      colorScheme,
    );
    // Charts follow the width a moment later, on a slow machine a long one.
    await page
      .waitForFunction((most) => document.documentElement.scrollWidth <= most, width, {
        timeout: FITS_WITHIN_MS,
      })
      .catch(() => undefined);
    const shown = await page.evaluate(() => document.documentElement.scrollWidth);
    if (shown > width) found.push(`${name} is ${shown} px wide at ${width} px`);
    if (!isChecked) continue;
    found.push(...(await findViolations(page)).map((line) => `${name} at ${width} px: ${line}`));
    if (hasPicture) await keepPicture(page, `${name}-${colorScheme}-${width}`);
  }
  return found;
}

async function keepPicture(page: Page, name: string): Promise<void> {
  const folder = process.env['DASHBOARD_SCREENSHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
