import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../api/client.ts';
import { formatCount, formatMs } from '../parts/format.ts';
import { WideTable } from '../parts/section.tsx';
import { Empty, Failure, Loading } from '../parts/state.tsx';
import { Moment } from '../parts/values.tsx';
import { exportsQuery } from './operations-queries.ts';

type Export = AnswerOf<'/admin/v1/exports', 'get'>['data'][number];

const HEAD = ['Export', 'State', 'Last delivery', 'Delivered', 'Waiting', 'Behind by'];

/** How far each export of log rows has come, and why one fails. */
export function Exports() {
  const { data, error, isPending, refetch } = useQuery(exportsQuery);
  if (isPending) return <Loading what="exports" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (data.data.length === 0)
    return (
      <Empty title="No export">
        Log rows go to files, HTTP endpoints, S3 and ClickHouse with exports in the configuration.
      </Empty>
    );
  return (
    <WideTable label="Exports" head={HEAD} figures={3} miw={760}>
      {data.data.map((one) => (
        <ExportRow key={one.name} one={one} />
      ))}
    </WideTable>
  );
}

function ExportRow({ one }: { one: Export }) {
  const { name, type, rows, waiting, lag_seconds: lag, exported_at: at } = one;
  return (
    <Table.Tr>
      <Table.Td className="name">
        {name}
        <Text size="xs" className="quiet">
          {type}
        </Text>
      </Table.Td>
      <Table.Td className="name">
        <State of={one} />
      </Table.Td>
      <Table.Td>{at === null ? 'none yet' : <Moment iso={at} />}</Table.Td>
      <Table.Td ta="end">{formatCount(rows)}</Table.Td>
      <Table.Td ta="end">{formatCount(waiting)}</Table.Td>
      <Table.Td ta="end">{waiting === 0 ? '–' : formatMs(lag * 1_000)}</Table.Td>
    </Table.Tr>
  );
}

function State({ of: { failures, failing_since: since, last_error: error } }: { of: Export }) {
  if (failures === 0) return 'delivers';
  return (
    <span className="failed">
      {formatCount(failures)} failed attempts
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
