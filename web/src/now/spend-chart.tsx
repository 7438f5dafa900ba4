import { Paper, Text, Title, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import UPlot from 'uplot';
import { capitalize, countOf, formatCount, shortenUsd } from '../parts/format.ts';
import { Usd } from '../parts/values.tsx';
import { type Colours, coloursOf, createOptions, toSeries } from './chart-options.ts';
import { type Step, type StepName, type Sums, formatStep, listSteps, sum } from './chart-steps.ts';
import type { UsageLine } from './sums.ts';

interface ChartProps {
  lines: readonly UsageLine[];
  step: StepName;
  since: string;
}

/** Spend, requests and errors over time, and their values where the pointer is, or the total. */
export function SpendChart(props: ChartProps) {
  const { step } = props;
  const steps = useSteps(props);
  const { sized, place, colours, pointed, point } = useChart(steps, step);
  const at = pointed === null ? undefined : steps[pointed];
  const last = steps.length - 1;
  const isOpen = pointed === last;
  const [when, shown] = at
    ? [`${formatStep(at.time, step)}${isOpen ? ', so far' : ''}`, at]
    : ['Total', sum(steps)];
  return (
    <Paper withBorder p="md" component="section" aria-label="Spend over time">
      <Title order={2} size="h4">
        By {step}
      </Title>
      <Text size="xs" className="quiet">
        Spend in USD (left), requests and errors (right).{' '}
        {step === 'hour' ? 'Times are in your time zone.' : `${capitalize(step)}s are UTC.`}
      </Text>
      <div
        ref={sized}
        className="chart"
        role="slider"
        tabIndex={0}
        aria-label={`Sums of one ${step}`}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={pointed ?? last}
        aria-valuetext={describe(when, shown)}
        onKeyDown={(event) => followKey(event, { pointed: pointed ?? undefined, last, point })}
        onBlur={() => point(undefined)}
      >
        <div ref={place} aria-hidden="true" />
      </div>
      <Legend when={when} sums={shown} colours={colours} />
    </Paper>
  );
}

const useSteps = ({ lines, step, since }: ChartProps): readonly Step[] =>
  useMemo(() => listSteps({ lines, step, since }), [lines, step, since]);

/** Draws the steps in `place`, as wide as `sized`. */
function useChart(steps: readonly Step[], step: StepName) {
  const colours = coloursOf(useComputedColorScheme('light'));
  const { ref: sized, width } = useElementSize();
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot | undefined>(undefined);
  const [pointed, setPointed] = useState<number | null>(null);
  const data = useMemo(() => toSeries(steps), [steps]);
  useEffect(() => {
    if (!place.current || width === 0) return undefined;
    const made = new UPlot(createOptions({ colours, width, step, onPoint: setPointed }), data, place.current);
    chart.current = made;
    return () => made.destroy();
    // New data is set below, without a new chart.
  }, [colours, width, step]);
  useEffect(() => chart.current?.setData(data), [data]);
  const point = (index: number | undefined): void => {
    const time =
      index === undefined ? undefined : steps[Math.min(steps.length - 1, Math.max(0, index))]?.time;
    const left = time === undefined ? OUTSIDE : (chart.current?.valToPos(time, 'x') ?? OUTSIDE);
    chart.current?.setCursor({ left, top: 0 });
  };
  return { sized, place, colours, pointed, point };
}

const OUTSIDE = -1;

const describe = (when: string, { spend, requests, errors }: Sums): string =>
  `${when}: ${shortenUsd(spend)}, ${countOf(requests, 'request')}, ${countOf(errors, 'error')}`;

interface Pointing {
  pointed: number | undefined;
  last: number;
  point(index: number | undefined): void;
}

/** Arrows go from step to step, beginning with the latest. */
function followKey(event: KeyboardEvent, { pointed, last, point }: Pointing): void {
  const aims: Readonly<Record<string, number | undefined>> = {
    ArrowLeft: (pointed ?? last + 1) - 1,
    ArrowRight: (pointed ?? last - 1) + 1,
    Home: 0,
    End: last,
    Escape: undefined,
  };
  if (!Object.hasOwn(aims, event.key)) return;
  event.preventDefault();
  point(aims[event.key]);
}

function Legend({ when, sums, colours }: { when: string; sums: Sums; colours: Colours }) {
  return (
    <div className="chart-legend figures">
      <span className="chart-when quiet">{when}</span>
      {(['spend', 'requests', 'errors'] as const).map((name) => (
        <span key={name}>
          <span className="chart-mark" style={{ background: colours[name] }} />
          {NAMES[name]}{' '}
          <strong>{name === 'spend' ? <Usd exact={sums.spend} /> : formatCount(sums[name])}</strong>
        </span>
      ))}
    </div>
  );
}

const NAMES = { spend: 'Spend', requests: 'Requests', errors: 'Errors' } as const;
