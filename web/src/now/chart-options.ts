import UPlot from 'uplot';
import { formatShort, shortenUsd } from '../parts/format.ts';
import type { Step, StepName } from './chart-steps.ts';

const HEIGHT = 240;
const COLOURS = {
  light: { text: '#343a40', grid: '#e9ecef', spend: '#1971c2', requests: '#2b8a3e', errors: '#c92a2a' },
  dark: { text: '#ced4da', grid: '#3b3b3b', spend: '#74c0fc', requests: '#8ce99a', errors: '#ffa8a8' },
} as const;
export type Colours = (typeof COLOURS)[keyof typeof COLOURS];

export const coloursOf = (scheme: keyof typeof COLOURS): Colours => COLOURS[scheme];

export const toSeries = (steps: readonly Step[]): UPlot.AlignedData => [
  steps.map(({ time }) => time),
  steps.map(({ spend }) => Number(spend)),
  steps.map(({ requests }) => requests),
  steps.map(({ errors }) => errors),
];

const DAY = '\n{MM}-{DD}'; // with the year it would not fit a small screen
const MONTH_S = 30 * 86_400; // what uPlot counts as one
/** As many as fit of the months of the axis. */
const MONTHS = { incrs: [1, 2, 3, 6].map((months) => months * MONTH_S), space: 70 };
/** For each step of the axis, in seconds: a tick, and what is added where the year, month, day or hour changes. */
const AXIS_TIMES: (string | number | null)[][] = [
  [MONTH_S, '{YYYY}-{MM}', null, null, null, null, null, null, 1],
  [86_400, '{MM}-{DD}', null, null, null, null, null, null, 1],
  [3_600, '{HH}:{mm}', DAY, null, DAY, null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', DAY, null, DAY, null, null, null, 1],
];

const LARGEST_POWER = 12;
/** Requests are counted: their axis has no fractions. */
export const COUNT_STEPS: readonly number[] = Array.from({ length: LARGEST_POWER }, (_, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
).flat();

interface Look {
  colours: Colours;
  width: number;
  step: StepName;
  /** Called with the index of the step that is pointed at. */
  onPoint(index: number | null): void;
}

/** The legend is not uPlot's: it is read by screen readers, and has sums while nothing is pointed at. */
export function createOptions({ colours, width, step, onPoint }: Look): UPlot.Options {
  const axis = { stroke: colours.text, grid: { stroke: colours.grid }, ticks: { stroke: colours.grid } };
  const range = (_: UPlot, __: number, most: number): [number, number] => [0, most || 1];
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    scales: { usd: { range }, count: { range } },
    ...(step !== 'hour' && { tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), 'UTC') }),
    axes: [
      {
        ...axis,
        values: AXIS_TIMES,
        ...(step === 'month' && MONTHS),
      },
      {
        ...axis,
        scale: 'usd',
        size: 80,
        values: (_, splits) => splits.map((amount) => shortenUsd(String(amount))),
      },
      {
        ...axis,
        scale: 'count',
        side: 1,
        grid: { show: false },
        incrs: [...COUNT_STEPS],
        values: (_, splits) => splits.map(formatShort),
      },
    ],
    series: [
      {},
      { scale: 'usd', stroke: colours.spend, fill: `${colours.spend}33`, width: 2 },
      { scale: 'count', stroke: colours.requests, width: 1.5 },
      { scale: 'count', stroke: colours.errors, width: 1.5 },
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  };
}
