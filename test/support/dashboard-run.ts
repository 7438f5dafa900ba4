import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core';
import { CHROMIUM, CHROMIUM_FLAGS } from '../../web/test/chromium.ts';
import { type Books, openBooks } from './books.ts';
import { fillLog } from './fill-log.ts';
import { type Gateway, createProviderConfig, startGateway } from './gateway.ts';
import { startMockUpstream } from './mock-upstream.ts';
import { answer } from './upstream-replies.ts';

interface DashboardPlan {
  rows: number;
  report(line: string): void;
}

/** What a figure should be, and what fails the run: a busy machine takes several times as long. */
interface Goal {
  name: string;
  figure: number;
  goal: number;
  most: number;
  unit: string;
}

const DAYS = 30;
const COUNTED_MS = 900_000;
const PATIENCE_MS = 300_000;
const NEVER_MS = 30_000;
const SLOWNESS = 5;
const SCROLLED = 20_000;
const ROW_PX = 40;
const ROWS_PER_FRAME = 20;
const ROUNDS = 4;
const REQUESTS = 100;
const VIEWPORT = { width: 1440, height: 900 };
const FIGURES = '[aria-label="Figures"]';

/** A gateway beside a log of many rows, and the dashboard in a browser. Prints what was measured; throws beyond the bounds. */
export async function runDashboardPlan({ rows, report }: DashboardPlan): Promise<string> {
  if (CHROMIUM === undefined) throw new Error('no Chromium on this machine; name it with CHROMIUM_BIN');
  await using upstream = await startMockUpstream();
  upstream.script({ reply: answer({ text: 'one two three' }) });
  await using gateway = await startGateway({ config: createProviderConfig(upstream.baseUrl, {}) });
  await using books = await openBooks(gateway.dataDir);
  await fill(books, rows);
  report(`${rows} rows are written and counted`);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_FLAGS });
  try {
    const signedIn = await signIn(browser, gateway);
    const goals: Goal[] = [];
    for (const measure of [measureLoad, measureClicks, measureScroll, measureRequests])
      for await (const goal of measure({ browser, gateway, signedIn, rows })) {
        const { name, figure, unit, goal: wanted } = goal;
        report(`${name.padEnd(52)} ${figure.toFixed(1).padStart(8)} ${unit}, goal ${wanted.toFixed(1)}`);
        goals.push(goal);
      }
    const broken = goals.filter(({ figure, most }) => figure > most);
    if (broken.length > 0) throw new Error(`too much: ${broken.map(({ name }) => name).join('; ')}`);
    const met = goals.filter(({ figure, goal }) => figure <= goal).length;
    return `${met} of ${goals.length} goals met, the others within their bounds`;
  } finally {
    await browser.close();
  }
}

async function fill({ database }: Books, rows: number): Promise<void> {
  await fillLog(database, { rows, days: DAYS });
  // The gateway had counted these hours before their rows were there.
  await database.query({
    text: 'UPDATE log_state SET counted_through = retention_cutoff, closed_through = retention_cutoff',
  });
  const counted = async (): Promise<boolean> => {
    const { rows: states } = await database.query<{ counted: boolean }>({
      text: `SELECT counted_through > now() - interval '3 hours' AND NOT EXISTS (
          SELECT FROM usage_open WHERE day + interval '24 hours' <= counted_through) AS counted FROM log_state`,
    });
    return states[0]?.counted === true;
  };
  const end = performance.now() + COUNTED_MS;
  while (!(await counted())) {
    if (performance.now() > end) throw new Error('the gateway has not counted the rows in time');
    await sleep(1_000);
  }
}

interface Scene {
  browser: Browser;
  gateway: Gateway;
  signedIn: SignedIn;
  rows: number;
}

type SignedIn = Awaited<ReturnType<BrowserContext['storageState']>>;

async function signIn(browser: Browser, gateway: Gateway): Promise<SignedIn> {
  const { url } = await gateway.run('dashboard', '--no-open', '--url', gateway.url);
  const context = await browser.newContext();
  const page = await context.newPage();
  if (typeof url !== 'string') throw new Error('no link was made');
  await page.goto(url);
  await page.locator(FIGURES).waitFor({ timeout: PATIENCE_MS });
  const state = await context.storageState();
  await context.close();
  return state;
}

/** A page with nothing in its cache. */
async function openPage(browser: Browser, signedIn: SignedIn): Promise<Page> {
  const context = await browser.newContext({ storageState: signedIn, viewport: VIEWPORT });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  return page;
}

const within = (name: string, figure: number, goal: number): Goal => ({
  name,
  figure,
  goal,
  unit: 'ms',
  most: goal * SLOWNESS,
});

async function* measureLoad({ browser, gateway, signedIn }: Scene): AsyncGenerator<Goal> {
  const times: number[] = [];
  let bytes = 0;
  for (let turn = 0; turn < 3; turn += 1) {
    const page = await openPage(browser, signedIn);
    const network = await page.context().newCDPSession(page);
    await network.send('Network.enable');
    bytes = 0;
    network.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
    await page.goto(`${gateway.url}/dashboard/`, { waitUntil: 'commit' });
    times.push(await page.evaluate<number>(`${AWAIT}(() => document.querySelector('${FIGURES}'), 0)`));
    await page.context().close();
  }
  yield { name: 'first load', figure: bytes / 1_000, goal: 300, most: 300, unit: 'KB' };
  yield within('first load until the overview is there', Math.min(...times), 1_000);
}

/** Scripts run in the page, whose types are not those of Node. Resolves with the time since `start` once something is true. */
const AWAIT = `((isReady, start) => new Promise((resolve, reject) => {
  const look = () => {
    if (isReady()) resolve(performance.now() - start);
    else if (performance.now() - start > ${NEVER_MS}) reject(new Error('not ready: ' + document.body.innerText.slice(0, 300)));
    else requestAnimationFrame(look);
  };
  look();
}))`;

const CLICKS: readonly { name: string; from: string; act: string; isReady: string }[] = [
  {
    name: 'click on Now',
    from: '#/requests',
    act: `[...document.querySelectorAll('header a')].find((link) => link.textContent === 'Now').click()`,
    isReady: `document.querySelector('${FIGURES}')`,
  },
  {
    name: 'overview of 30 days',
    from: '#/',
    act: `location.hash = '#/?range=month'`,
    isReady: `/[1-9]\\d*,\\d{3} requests/.test(document.querySelector('${FIGURES}')?.textContent ?? '')
      && document.querySelector('${FIGURES}').textContent !== globalThis.before`,
  },
  ...(
    [
      ['model=model-3', 'model-3'],
      ['model=model-11', 'model-11'],
      ['finish_reason=upstream_error', 'Provider failed'],
      ['member_id=mem_0', ''],
      ['session_id=none', undefined],
    ] as const
  ).map(([filter, text]) => ({
    name: `requests of ${filter}`,
    from: '#/requests',
    act: `location.hash = '#/requests?${filter}'`,
    isReady:
      text === undefined
        ? `document.body.textContent.includes('No matching requests')`
        : `(() => {
            const rows = [...document.querySelectorAll('.row[tabindex]')].map((row) => row.textContent);
            return rows.length > 0 && rows.join() !== globalThis.before && rows.every((row) => row.includes('${text}'));
          })()`,
  })),
];

async function* measureClicks({ browser, gateway, signedIn }: Scene): AsyncGenerator<Goal> {
  for (const { name, from, act, isReady } of CLICKS) {
    const times: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const page = await openPage(browser, signedIn);
      await page.goto(`${gateway.url}/dashboard/${from}`);
      await page.locator(from === '#/' ? FIGURES : '.row[tabindex] >> nth=0').waitFor();
      const script = `(() => {
        globalThis.before = document.querySelector('${FIGURES}')?.textContent
          ?? [...document.querySelectorAll('.row[tabindex]')].map((row) => row.textContent).join();
        const start = performance.now();
        ${act};
        return ${AWAIT}(() => ${isReady}, start);
      })()`;
      times.push(await page.evaluate<number>(script));
      await page.context().close();
    }
    yield within(name, Math.min(...times), 500);
  }
}

async function* measureScroll({ browser, gateway, signedIn, rows }: Scene): AsyncGenerator<Goal> {
  const page = await openPage(browser, signedIn);
  await page.goto(`${gateway.url}/dashboard/#/requests`);
  await page.locator('.row[tabindex] >> nth=0').waitFor();
  const end = Math.min(SCROLLED, rows / 2) * ROW_PX;
  const gaps = await page.evaluate<number[]>(`new Promise((resolve) => {
    const list = document.querySelector('.rows');
    const gaps = [];
    let last = performance.now();
    const step = () => {
      const now = performance.now();
      gaps.push(now - last);
      last = now;
      if (list.scrollTop >= ${end}) return resolve(gaps);
      list.scrollTop += ${ROWS_PER_FRAME * ROW_PX};
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  })`);
  await page.context().close();
  const sorted = gaps.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  yield within(`${SCROLLED} rows of requests scrolled: frame p99`, at(0.99), 100);
  yield within('longest frame', at(1), 100);
  const whole = gaps.reduce((sum, gap) => sum + gap, 0);
  yield within('whole scroll', whole, 60_000);
}

/** In turns with and without the dashboard, so that the machine's mood meets both. */
async function* measureRequests(scene: Scene): AsyncGenerator<Goal> {
  const [without, beside]: [number[], number[]] = [[], []];
  const ask = async (times: number[]): Promise<void> => {
    for (let at = 0; at < REQUESTS; at += 1) {
      const begin = performance.now();
      const response = await scene.gateway.post('/v1/chat/completions', {
        model: 'mock-model',
        max_tokens: 8,
        messages: [{ role: 'user', content: 'hello' }],
      });
      if (response.status !== 200) throw new Error(`a request got ${response.status}`);
      await response.text();
      times.push(performance.now() - begin);
    }
  };
  await ask([]);
  for (let round = 0; round < ROUNDS; round += 1) {
    await ask(without);
    const pages = await Promise.all(['#/', '#/requests'].map((path) => watch(scene, path)));
    await ask(beside);
    for (const page of pages) await page.context().close();
  }
  const at = (times: number[], share: number): number =>
    times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))] ?? 0;
  for (const share of [0.5, 0.99]) {
    const goal = at(without, share);
    const name = `a request beside an open dashboard, p${share * 100}`;
    yield { name, figure: at(beside, share), goal, most: goal * SLOWNESS + SLACK_MS, unit: 'ms' };
  }
}

const SLACK_MS = 100;

async function watch({ browser, gateway, signedIn }: Scene, path: string): Promise<Page> {
  const page = await openPage(browser, signedIn);
  await page.goto(`${gateway.url}/dashboard/${path}`);
  await page.locator(path === '#/' ? FIGURES : '.row[tabindex] >> nth=0').waitFor();
  return page;
}
