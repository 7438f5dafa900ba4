import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
  chromium,
} from 'playwright-core';
import type { InProcessGateway } from '../../test/support/in-process.ts';

const PLACES = [
  process.env['CHROMIUM_BIN'] ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];
const executablePath = PLACES.find((path) => path !== '' && existsSync(path));

/** Why no browser test can run here; `false` if all can. */
export const noBrowser =
  executablePath === undefined && 'no Chromium on this machine; install one, or name it with CHROMIUM_BIN';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-sync',
];
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A page of a browser, and what its console reported: no test expects anything there. */
export interface Tab extends AsyncDisposable {
  page: Page;
  faults: string[];
}

/** A browser that has used a one-time link of the gateway, by default with all rights. */
export async function openTab(
  gateway: InProcessGateway,
  options: BrowserContextOptions = {},
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

/** One for all tabs of a process, which have nothing else in common: a start takes as long as most tests. */
class SharedBrowser {
  #browser: Promise<Browser> | undefined;
  #tabs = 0;
  #idle: NodeJS.Timeout | undefined;

  async open(options: BrowserContextOptions): Promise<BrowserContext> {
    clearTimeout(this.#idle);
    this.#tabs += 1;
    this.#browser ??= chromium.launch({ executablePath: executablePath ?? '', args: FLAGS });
    return (await this.#browser).newContext(options);
  }

  async close(context: BrowserContext): Promise<void> {
    await context.close();
    this.#tabs -= 1;
    if (this.#tabs === 0) this.#idle = setTimeout(() => void this.#quit(), IDLE_MS);
  }

  async #quit(): Promise<void> {
    const browser = this.#browser;
    this.#browser = undefined;
    await (await browser)?.close();
  }
}

const IDLE_MS = 1_000;
const shared = new SharedBrowser();

async function openPage(url: string, options: BrowserContextOptions): Promise<Tab> {
  const context = await shared.open(options);
  const page = await context.newPage();
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
  return { page, faults, [Symbol.asyncDispose]: () => shared.close(context) };
}

const TIMEOUT_MS = 60_000;

/** The violations that axe finds, one line each. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.mouse.move(0, 0); // closes tooltips, which are outside of every landmark
  await page.waitForFunction(() => document.querySelector('[role=tooltip]') === null);
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as {
      axe: {
        run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
      };
    };
    const { violations } = await checker.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}

/** Columns of figures in a grid whose texts do not end below the end of their heading. */
export async function findCrooked(page: Page, row: string): Promise<string[]> {
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

/** For docs/dashboard/: DASHBOARD_SCREENSHOTS names the folder. */
export async function keepScreenshots(page: Page, name: string): Promise<void> {
  const folder = process.env['DASHBOARD_SCREENSHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await page.screenshot({ path: join(folder, `${name}-${width}.png`) });
  }
}
