import type { GaugeSource, Sample } from '../request-sources.ts';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { getHeapSpaceStatistics } from 'node:v8';

/** A metric with a name and a unit of OpenTelemetry's conventions. */
export interface ConventionalSource extends GaugeSource {
  unit: string;
}

const SECONDS_PER_NS = 1e-9;
const SECONDS_PER_US = 1e-6;
const DELAY_RESOLUTION_MS = 10;

/** Memory, processor time and event loop of this process; each read covers the time since the one before. */
export function openProcessSources(): readonly ConventionalSource[] {
  return [
    {
      name: 'process.memory.usage',
      help: 'Physical memory in use.',
      unit: 'By',
      read: () => [{ value: process.memoryUsage.rss() }],
    },
    {
      name: 'process.cpu.time',
      help: 'Processor time.',
      unit: 's',
      isCounter: true,
      read: () =>
        Object.entries(process.cpuUsage()).map(([mode, us]) => ({
          labels: { 'cpu.mode': mode },
          value: us * SECONDS_PER_US,
        })),
    },
    {
      name: 'v8js.memory.heap.used',
      help: 'Heap memory in use.',
      unit: 'By',
      read: () =>
        getHeapSpaceStatistics().map(({ space_name, space_used_size }) => ({
          labels: { 'v8js.heap.space.name': space_name },
          value: space_used_size,
        })),
    },
    ...openEventLoopSources(),
  ];
}

function openEventLoopSources(): ConventionalSource[] {
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();
  let before = performance.eventLoopUtilization();
  const readUtilization = (): Sample[] => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    return [{ value: utilization }];
  };
  const readMax = (): Sample[] => {
    const { max } = delay;
    delay.reset(); // the last one that is read
    return [{ value: max * SECONDS_PER_NS }];
  };
  return [
    ...[50, 90, 99].map((percent) => ({
      name: `nodejs.eventloop.delay.p${percent}`,
      help: `Delay of the event loop, ${percent}th percentile.`,
      unit: 's',
      read: () => [{ value: delay.percentile(percent) * SECONDS_PER_NS }],
    })),
    {
      name: 'nodejs.eventloop.delay.max',
      help: 'Delay of the event loop, maximum.',
      unit: 's',
      read: readMax,
    },
    {
      name: 'nodejs.eventloop.utilization',
      help: 'Share of the time in which the event loop was busy.',
      unit: '1',
      read: readUtilization,
    },
  ];
}
