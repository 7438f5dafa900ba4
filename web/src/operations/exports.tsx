import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../api/client.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { countOf, formatCount, formatMs } from '../parts/format.ts';
import { Empty, Read } from '../parts/state.tsx';
import { Moment } from '../parts/values.tsx';
import { exportsQuery } from './operations-queries.ts';

type Export = AnswerOf<'/admin/v1/exports', 'get'>['data'][number];

const COLUMNS: readonly Column<Export>[] = [
  { head: 'Export', kind: 'name', cell: ({ name }) => name, note: ({ type }) => type },
  { head: 'State', kind: 'name', cell: (one) => <State of={one} /> },
  { head: 'Last delivery', cell: ({ exported_at: at }) => (at === null ? 'none yet' : <Moment iso={at} />) },
  { head: 'Delivered', kind: 'figure', cell: ({ rows }) => formatCount(rows) },
  { head: 'Waiting', kind: 'figure', cell: ({ waiting }) => formatCount(waiting) },
  {
    head: 'Behind by',
    kind: 'figure',
    cell: ({ waiting, lag_seconds: lag }) => (waiting === 0 ? '–' : formatMs(lag * 1_000)),
  },
];

/** How far each export of log rows has come, and why one fails. */
export function Exports() {
  return (
    <Read query={useQuery(exportsQuery)} what="exports">
      {({ data }) => <Listed exports={data} />}
    </Read>
  );
}

function Listed({ exports }: { exports: readonly Export[] }) {
  if (exports.length === 0)
    return (
      <Empty title="No export">
        Log rows go to files, HTTP endpoints, S3 and ClickHouse with exports in the configuration.
      </Empty>
    );
  return <DataTable label="Exports" columns={COLUMNS} rows={exports} keyOf={({ name }) => name} miw={760} />;
}

function State({ of: { failures, failing_since: since, last_error: error } }: { of: Export }) {
  if (failures === 0) return 'delivers';
  return (
    <span className="failed">
      {countOf(failures, 'failed attempt')}
      {since !== null && (
        <>
          {' '}
          since <Moment iso={since} />
        </>
      )}
      {error !== null && `: ${error}`}
    </span>
  );
}
