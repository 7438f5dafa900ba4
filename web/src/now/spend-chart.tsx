import { Paper, Text, Title, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useMemo, useRef } from 'react';
import UPlot from 'uplot';
import { formatCount, formatMoment, shortenUsd } from '../parts/format.ts';
import { type UsageLine, isFailed } from './sums.ts';

const HEIGHT = 240;
const STEPS_S = { hour: 3_600, day: 86_400 } as const;
const COLOURS = {
  light: { text: '#343a40', grid: '#e9ecef', spend: '#1971c2', requests: '#2b8a3e', errors: '#c92a2a' },
  dark: { text: '#ced4da', grid: '#3b3b3b', spend: '#74c0fc', requests: '#8ce99a', errors: '#ffa8a8' },
} as const;

interface ChartProps {
  lines: readonly UsageLine[];
  step: keyof typeof STEPS_S;
  since: string;
}

/** Spend, requests and errors over time. */
export function SpendChart({ lines, step, since }: ChartProps) {
  const scheme = useComputedColorScheme('light');
  const { ref, width } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot | undefined>(undefined);
  const data = useMemo(() => toSeries({ lines, step, since }), [lines, step, since]);
  useEffect(() => {
    if (!place.current || width === 0) return undefined;
    const made = new UPlot(createOptions(COLOURS[scheme], width), data, place.current);
    chart.current = made;
    return () => made.destroy();
    // New data is set below, without a new chart.
  }, [scheme, width, step]);
  useEffect(() => chart.current?.setData(data), [data]);
  return (
    <Paper withBorder p="md" component="section" aria-label="Spend over time">
      <Title order={2} size="h4">
        By {step}
      </Title>
      <Text size="xs" className="quiet">
        Spend in USD (left), requests and errors (right).{' '}
        {step === 'day' ? 'Days are UTC.' : 'Times are yours.'} The table below has the same sums.
      </Text>
      <div ref={ref} className="chart">
        <div ref={place} aria-hidden="true" />
      </div>
    </Paper>
  );
}

/** Every step of the period, so that quiet hours are seen as such. */
function toSeries({ lines, step, since }: ChartProps): UPlot.AlignedData {
  const stepS = STEPS_S[step];
  const start = Math.floor(Date.parse(since) / 1_000 / stepS) * stepS;
  const count = Math.floor((Date.now() / 1_000 - start) / stepS) + 1;
  const times = Array.from({ length: count }, (_, index) => start + index * stepS);
  const [spend, requests, errors] = [1, 2, 3].map(() => times.map(() => 0)) as [number[], number[], number[]];
  for (const { group, cost, requests: made } of lines) {
    const at = Math.floor((Date.parse(group[step] ?? '') / 1_000 - start) / stepS);
    if (spend[at] === undefined) continue;
    spend[at] += Number(cost);
    requests[at] = (requests[at] ?? 0) + made;
    if (isFailed(group['finish'] ?? '')) errors[at] = (errors[at] ?? 0) + made;
  }
  return [times, spend, requests, errors];
}

const DAY = '\n{YYYY}-{MM}-{DD}';
/** For each step of the axis, in seconds: a tick, and what is added where the year, month, day or hour changes. */
const AXIS_TIMES: (string | number | null)[][] = [
  [86_400, '{YYYY}-{MM}-{DD}', null, null, null, null, null, null, 1],
  [3_600, '{HH}:{mm}', DAY, null, DAY, null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', DAY, null, DAY, null, null, null, 1],
];
const MINUTE_CHARACTERS = 16;

/** Beside the chart's names, empty while nothing is pointed at. */
const toTime = (seconds: number): string =>
  formatMoment(new Date(seconds * 1_000).toISOString()).local.slice(0, MINUTE_CHARACTERS);
const showCount = (_: UPlot, count: number | null): string => (count === null ? '' : formatCount(count));

function createOptions(colours: (typeof COLOURS)[keyof typeof COLOURS], width: number): UPlot.Options {
  const axis = { stroke: colours.text, grid: { stroke: colours.grid }, ticks: { stroke: colours.grid } };
  const dollars = (amount: number | null): string => (amount === null ? '' : shortenUsd(String(amount)));
  return {
    width,
    height: HEIGHT,
    scales: {
      usd: { range: (_, __, most) => [0, most || 1] },
      count: { range: (_, __, most) => [0, most || 1] },
    },
    axes: [
      { ...axis, values: AXIS_TIMES },
      { ...axis, scale: 'usd', size: 80, values: (_, splits) => splits.map(dollars) },
      { ...axis, scale: 'count', side: 1, grid: { show: false } },
    ],
    series: [
      { label: 'Time', value: (_, seconds: number | null) => (seconds === null ? '' : toTime(seconds)) },
      {
        label: 'Spend',
        scale: 'usd',
        stroke: colours.spend,
        fill: `${colours.spend}33`,
        width: 2,
        value: (_, amount) => dollars(amount),
      },
      { label: 'Requests', scale: 'count', stroke: colours.requests, width: 1.5, value: showCount },
      { label: 'Errors', scale: 'count', stroke: colours.errors, width: 1.5, value: showCount },
    ],
  };
}
