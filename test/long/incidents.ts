import { drawTable } from '../docs/generated-page.ts';
import { type DayFigures, measureDay } from '../support/worlds/incident-day.ts';
import { writePart } from '../support/written-part.ts';
import type { LongRun } from './long-run.ts';

const HEADS = ['choice', 'answered', 'calls per request', 'price of an answer', 'answer p50 / p99'];
/** Of its success, and of its price. */
const LEAST_SUCCESS = 0.999;

export const runIncidents: LongRun = {
  name: 'incidents',
  summary:
    'a day of incidents of three providers, on a virtual clock: each strategy beside fixed choices and hindsight',
  async run({ seed, report }) {
    const figures = await measureDay(seed, (one) => report(toCells(one).join(' · ')));
    const table = drawTable(HEADS, figures.map(toCells));
    if (process.env['UPDATE_DOCS'] === '1')
      writePart(
        'routing.md',
        'incidents',
        `${table}\n\n${figures[0]?.requests} requests, \`npm run test:long -- incidents --seed ${seed}\`.`,
      );
    const [balanced] = figures;
    if (!balanced || balanced.success < LEAST_SUCCESS) throw new Error(`${balanced?.success} answered`);
    return `${(100 * balanced.success).toFixed(2)} % answered`;
  },
};

function toCells({ name, success, calls, cost, p50Ms, p99Ms }: DayFigures): string[] {
  const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
  return [
    name,
    `${(100 * success).toFixed(2)} %`,
    calls.toFixed(3),
    cost.toFixed(3),
    `${seconds(p50Ms)} / ${seconds(p99Ms)}`,
  ];
}
