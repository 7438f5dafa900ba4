import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { COSTS } from './simulated-postgres.ts';
import { type ScaleFigures, simulate } from './scale-run.ts';
import { createManyOrganizations, createOneOrganization } from './scale-scenarios.ts';
import { compareWithReality } from './two-process-run.ts';

const PAGE = fileURLToPath(new URL('../../docs/scale.md', import.meta.url));
const BUDGET_SECONDS = 15;
const ORGANIZATIONS = 100_000;
const PROCESSES = 100;
/** Up to this many processes, no request waits so long for the database that it is answered with 503. */
const CARRIED = 100;
const AGREES_WITHIN = 2;

type Row = readonly (string | number)[];

interface Plan {
  seed: number;
  report(line: string): void;
}

/** Runs all simulations and the real processes beside them, and writes the tables of `docs/scale.md`. */
export async function writeScaleTables(plan: Plan): Promise<void> {
  const tables = {
    costs: listCosts(),
    one: listOneOrganization(plan),
    end: listEndsOfBudgets(plan),
    many: listManyOrganizations(plan),
    real: await listReality(plan),
  };
  let page = readFileSync(PAGE, 'utf8');
  for (const [name, rows] of Object.entries(tables)) page = replaceTable(page, name, rows);
  writeFileSync(PAGE, page);
}

function replaceTable(page: string, name: string, rows: readonly Row[]): string {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- end of ${name} -->`];
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/scale.md has no place for the table “${name}”`);
  const [head = [], ...body] = rows;
  const lines = [head, head.map(() => '---'), ...body].map((cells) => `| ${cells.join(' | ')} |`);
  return `${page.slice(0, from)}${begin}${lines.join('\n')}\n${page.slice(to)}`;
}

const format = (value: number, digits = 0): string =>
  value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });

function listCosts(): Row[] {
  return [
    ['what', 'takes'],
    ['a statement with its transaction', `${COSTS.statementMs * 1_000} µs of a processor`],
    ['a request reported on a lease', `${COSTS.leasedMs * 1_000} µs`],
    ['a hold, or a settlement', `${COSTS.stepMs * 1_000} µs`],
    ['waking a process by `NOTIFY`', `${COSTS.notifyMs * 1_000} µs`],
    ['a commit on disk, while the locks are kept', `${COSTS.syncMs} ms`],
    ['network, there and back', `${COSTS.networkMs} ms`],
  ];
}

const STEADY = [
  'requests/s',
  'on leases',
  'statements/s',
  'requests per statement',
  'processors',
  'wait p50',
  'p99',
];

function toSteadyCells({ steady, waitMs }: ScaleFigures): Row {
  const seconds = (steady.toMs - steady.fromMs) / 1_000;
  const statements = steady.reports + steady.steps;
  return [
    format(steady.requests / seconds),
    `${format((100 * steady.onLease) / steady.requests)} %`,
    format(statements / seconds),
    format(steady.requests / statements, 1),
    format(steady.processorMs / 1_000 / seconds, 2),
    `${format(waitMs.p50)} ms`,
    `${format(waitMs.p99)} ms`,
  ];
}

/** The share of requests for which the database took too long. */
function formatUnavailable({ served, refused, unavailable }: ScaleFigures): string {
  return `${format((100 * unavailable) / (served + refused + unavailable))} %`;
}

function listOneOrganization({ seed, report }: Plan): Row[] {
  const rows: Row[] = [['processes', ...STEADY, '503']];
  for (const [processes, perSecond] of [
    [10, 10],
    [30, 10],
    [100, 10],
    [300, 10],
    [1_000, 10],
    [50, 200],
  ] as const) {
    const figures = simulate(createOneOrganization(processes, { perSecond }), seed);
    rows.push([format(processes), ...toSteadyCells(figures), formatUnavailable(figures)]);
    report(`one organization: ${rows.at(-1)?.join(', ')}`);
  }
  return rows;
}

function listEndsOfBudgets({ seed, report }: Plan): Row[] {
  const head = [
    'served',
    'recalls',
    'recalls per 1,000 requests',
    'to the last cent',
    'overspent',
    'refused though affordable',
    '503',
  ];
  const rows: Row[] = [['processes', ...head]];
  for (const [processes, perSecond] of [
    [10, 10],
    [100, 10],
    [1_000, 10],
    [50, 200],
  ] as const) {
    const scenario = createOneOrganization(processes, { perSecond, budgetSeconds: BUDGET_SECONDS });
    const figures = simulate(scenario, seed);
    const { served, recalls, lastCentMs, overspent, affordable } = figures;
    if (overspent > 0) throw new Error(`${processes} processes spent more than the budget`);
    if (affordable > 0)
      throw new Error(`${processes} processes refused ${affordable} requests that could be paid`);
    if (figures.unavailable > 0 && processes <= CARRIED)
      throw new Error(`${processes} processes answered ${figures.unavailable} requests with 503`);
    const seconds = `${format(lastCentMs / 1_000, 1)} s`;
    const share = format((1_000 * recalls) / served, 1);
    rows.push([
      format(processes),
      format(served),
      format(recalls),
      share,
      seconds,
      overspent,
      format(affordable),
      formatUnavailable(figures),
    ]);
    report(`end of a budget: ${rows.at(-1)?.join(', ')}`);
  }
  return rows;
}

function listManyOrganizations({ seed, report }: Plan): Row[] {
  const rows: Row[] = [['processes per organization', ...STEADY, 'longest wait for a lock']];
  for (const [spread, perSecond] of [
    [PROCESSES, 1_000],
    [PROCESSES, 10_000],
    [2, 1_000],
    [2, 10_000],
  ] as const) {
    const scenario = createManyOrganizations(ORGANIZATIONS, { processes: PROCESSES, spread, perSecond });
    const figures = simulate(scenario, seed);
    if (figures.overspent + figures.affordable > 0)
      throw new Error('an organization was refused or overspent');
    rows.push([spread, ...toSteadyCells(figures), `${format(figures.longestLockWaitMs)} ms`]);
    report(`many organizations: ${rows.at(-1)?.join(', ')}`);
  }
  return rows;
}

async function listReality({ seed, report }: Plan): Promise<Row[]> {
  const { real, simulated } = await compareWithReality(seed);
  const rates = [real, simulated].map(({ reports, seconds }) => reports / seconds) as [number, number];
  const ratio = rates[0] / rates[1];
  if (real.served !== simulated.served)
    throw new Error(`${real.served} were served, ${simulated.served} simulated`);
  if (ratio > AGREES_WITHIN || ratio < 1 / AGREES_WITHIN)
    throw new Error(`${format(rates[0])} reports a second, ${format(rates[1])} simulated`);
  const rows: Row[] = [['', 'served', 'seconds', 'reports', 'holds and settlements (statements)', 'recalls']];
  for (const [name, one] of Object.entries({ 'two real processes': real, simulated }))
    rows.push([name, format(one.served), format(one.seconds, 1), one.reports, one.steps, one.recalls]);
  report(`${JSON.stringify(real)} against ${JSON.stringify(simulated)}`);
  return rows;
}
