import { HEALTHY, SCENARIOS, type Scenario } from '../support/route/route-scenarios.ts';
import { findMisses } from '../support/route/route-figures.ts';
import { runScenario } from '../support/route/route-run.ts';
import { type Row, drawLine, drawRows, writePage } from '../support/route/route-table.ts';
import type { LongRun } from './long-run.ts';

const SECONDS = 20;

export const runRoute: LongRun = {
  name: 'route',
  summary: `faults of providers beside 12 clients, ${SECONDS} s each; --only names faults, --seconds their length`,
  async run({ seed, only, seconds = SECONDS, report }) {
    const chosen = SCENARIOS.filter((scenario) => isChosen(scenario, only));
    if (chosen.length === 0)
      throw new Error(`no fault is named ${only}: ${SCENARIOS.map(({ name }) => name).join(', ')}`);
    const rows: Row[] = [];
    const faults: string[] = [];
    for (const scenario of chosen) {
      const { figures, details, ...seen } = await runScenario(scenario, { seed, seconds });
      const healthy = rows[0]?.figures ?? figures;
      const row = { scenario, figures, misses: findMisses(figures, scenario.goal, healthy) };
      rows.push(row);
      report(drawLine(row));
      for (const detail of details) report(`    ${detail}`);
      for (const fault of seen.faults) report(`  FAULT ${fault}`);
      faults.push(...seen.faults.map((fault) => `${scenario.name}: ${fault}`));
    }
    report(`\n${drawRows(rows)}\n`);
    if (process.env['UPDATE_DOCS'] === '1' && only === '') writePage(rows, describeRun(seconds, seed));
    const missed = rows.filter(({ misses }) => misses.length > 0).map(({ scenario }) => scenario.name);
    if (faults.length > 0) throw new Error(faults.join('; '));
    if (missed.length > 0)
      throw new Error(`${missed.length} of ${rows.length} rows missed: ${missed.join(', ')}`);
    return `${rows.length} rows met, every request with one row, no open hold`;
  },
};

/** The healthy row is always measured: the others are compared with it. */
function isChosen({ name }: Scenario, only: string): boolean {
  return name === HEALTHY.name || only.split(',').some((part) => name.includes(part));
}

function describeRun(seconds: number, seed: number): string {
  return `Measured with \`npm run test:long -- route --seed ${seed} --seconds ${seconds}\`, Node ${process.versions.node}.`;
}
