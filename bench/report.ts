import type { Comparison } from './compare.ts';
import type { SlowStreams } from './slow-streams.ts';

const COLUMNS: { title: string; width: number; read: (comparison: Comparison) => string }[] = [
  { title: 'scenario', width: 31, read: ({ scenario }) => scenario },
  { title: 'req/s', width: 8, read: ({ gateway }) => gateway.requestsPerSecond.toFixed(0) },
  { title: 'bare', width: 8, read: ({ passThrough }) => passThrough.requestsPerSecond.toFixed(0) },
  { title: 'req/core', width: 10, read: ({ gateway }) => gateway.perCore.toFixed(0) },
  { title: 'bare', width: 8, read: ({ passThrough }) => passThrough.perCore.toFixed(0) },
  { title: 'ratio', width: 7, read: ({ perCoreRatio }) => perCoreRatio.toFixed(2) },
  { title: 'cpu ms', width: 8, read: ({ gateway }) => gateway.cpuMsPerRequest.toFixed(3) },
  { title: 'bare', width: 8, read: ({ passThrough }) => passThrough.cpuMsPerRequest.toFixed(3) },
  { title: 'db ms', width: 8, read: ({ gateway }) => gateway.databaseMsPerRequest.toFixed(3) },
  { title: 'added ms p50', width: 14, read: ({ addedMs }) => addedMs.gateway.p50.toFixed(2) },
  { title: 'p99', width: 7, read: ({ addedMs }) => addedMs.gateway.p99.toFixed(2) },
  { title: 'bare p50', width: 10, read: ({ addedMs }) => addedMs.passThrough.p50.toFixed(2) },
  { title: 'p99', width: 7, read: ({ addedMs }) => addedMs.passThrough.p99.toFixed(2) },
];

function toRow(cells: string[]): string {
  return cells
    .map((cell, at) => (at === 0 ? cell.padEnd(COLUMNS[at]!.width) : cell.padStart(COLUMNS[at]!.width)))
    .join('');
}

export function formatHead(): string {
  return toRow(COLUMNS.map((column) => column.title));
}

export function formatComparison(comparison: Comparison): string {
  return toRow(COLUMNS.map((column) => column.read(comparison)));
}

export function formatSlowStreams(rows: SlowStreams[]): string {
  const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0);
  const lines = rows.map(
    (row) =>
      `${row.streams} slow streams, ${row.subject.padEnd(13)} ${(row.bytesPerStream / 1024).toFixed(1).padStart(7)} KiB per stream ` +
      `(${megabytes(row.residentBefore)} → ${megabytes(row.residentOpen)} MiB), ${(row.cpuShare * 100).toFixed(1)} % of a core, ` +
      `first byte p99 ${row.firstByteMs.p99.toFixed(0)} ms`,
  );
  return ['', ...lines].join('\n');
}
