import { formatTime } from '#base';
import {
  derived,
  nullableOutput,
  number,
  objectOf,
  outputText,
  reportOf,
  tableOf,
  time,
  wholeList,
} from '#fields';
import type { ExportRecord } from './cursor-store.ts';

export interface ExportPorts {
  /** Every export of log rows that has a cursor. */
  listExports(): Promise<ExportRecord[]>;
}

const progress = objectOf<ExportRecord>()(
  {
    name: outputText(),
    type: outputText(),
    rows: derived(number('Rows that it has delivered.'), (one: ExportRecord) => Number(one.exportedRows)),
    waiting: derived(number('Rows that wait, or somewhat more.'), (one: ExportRecord) => Number(one.waiting)),
    lagSeconds: derived(number('How long the oldest of them has been final.'), (one: ExportRecord) =>
      Math.round(one.lagMs / 1_000),
    ),
    exportedAt: nullableOutput(time),
    failures: number('Attempts since the last success.'),
    failingSince: nullableOutput(time),
    lastError: nullableOutput(outputText()),
  },
  { name: 'export' },
);

export const exportsReport = reportOf<ExportPorts>()({
  path: 'exports',
  summary: 'Show the progress of each export of log rows, and why one fails.',
  scope: 'logs:read',
  ofAll: 'exports are those of all',
  filters: {},
  answer: 'The exports.',
  output: wholeList(progress),
  read: ({ listExports }) => listExports(),
  findNothing: () => [],
  command: {
    heading: 'Operation',
    group: { name: 'exports', summary: 'Show exports of log rows (`exports` of the configuration).' },
    name: 'list',
    summary: 'Show the progress of each export, and why one fails.',
    examples: ['exports list', 'exports list --json'],
    isEmpty: (records) => records.length === 0,
    empty: 'no exports; docs/exports.md describes `exports`',
    format: (records) => [formatProgress(records), ...records.flatMap(describeFault)],
  },
});

const formatProgress = (records: readonly ExportRecord[]) =>
  tableOf<ExportRecord>(
    {
      name: 'name',
      type: 'type',
      rows: 'exportedRows',
      waiting: 'waiting',
      lag: ({ lagMs }) => `${Math.round(lagMs / 1_000)} s`,
      'last batch': ({ exportedAt }) => formatTime(exportedAt),
      failures: 'failures',
    },
    records,
  );

const describeFault = ({ name, failingSince, lastError }: ExportRecord): string[] =>
  lastError === undefined ? [] : [`${name} fails since ${formatTime(failingSince)}: ${lastError}`];
