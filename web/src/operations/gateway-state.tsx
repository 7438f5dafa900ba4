import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../api/client.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { countOf, formatBytes, formatCount, formatMs } from '../parts/format.ts';
import { Section } from '../parts/section.tsx';
import { Read } from '../parts/state.tsx';
import { Tile } from '../parts/tile.tsx';
import { Moment } from '../parts/values.tsx';
import { Feed } from './feed.tsx';
import { statusQuery } from './operations-queries.ts';

type Status = AnswerOf<'/admin/v1/status', 'get'>;

/** This gateway, its stores, and the other gateways on the same database. */
export function GatewayState() {
  return (
    <Read query={useQuery(statusQuery)} what="the state">
      {(status) => <State status={status} />}
    </Read>
  );
}

function State({ status: data }: { status: Status }) {
  return (
    <Stack>
      <section className="tiles" aria-label="Gateway and stores">
        <Tile name="Gateway" note={`open requests: ${formatCount(data.open_requests)}`}>
          {data.version}
        </Tile>
        <DatabaseTile database={data.database} />
        <Tile
          name="Redis"
          note={
            data.redis.configured
              ? (data.redis.error ?? 'shared by all gateways')
              : 'limits are counted in this process'
          }
        >
          <Connection {...data.redis} well={data.redis.configured ? 'Connected' : 'Not used'} />
        </Tile>
        <Tile
          name="Ledger"
          note={
            data.ledger.error ??
            `${countOf(data.ledger.unwritten, 'settlement waits', 'settlements wait')} for PostgreSQL, ${formatBytes(data.ledger.journal_bytes)} in the journal`
          }
        >
          <Connection {...data.ledger} well="Ready" />
        </Tile>
      </section>
      <Text size="sm">
        Running since <Moment iso={data.started_at} />
      </Text>
      <Feed feed={data.feed} />
      <Replicas replicas={data.replicas} />
    </Stack>
  );
}

function DatabaseTile({ database }: { database: Status['database'] }) {
  const { open, idle, waiting } = database.connections;
  const facts = [
    `${database.embedded ? 'embedded ' : ''}${database.version ?? ''}`,
    database.bytes === null ? '' : formatBytes(database.bytes),
    `${open - idle} of ${countOf(open, 'connection')} busy`,
    waiting === 0 ? '' : `${countOf(waiting, 'query', 'queries')} waiting`,
  ];
  const note = database.error ?? facts.filter((fact) => fact !== '').join(', ');
  return (
    <Tile name="PostgreSQL" note={note}>
      <Connection {...database} well="Connected" />
    </Tile>
  );
}

function Connection({ connected, well }: { connected: boolean; well: string }) {
  return connected ? well : <span className="failed">Unavailable</span>;
}

const REPLICAS: readonly Column<NonNullable<Status['replicas']>[number]>[] = [
  { head: 'Gateway', cell: ({ id }) => id },
  { head: 'Process', cell: ({ note }) => note.replace(/^process /, '') },
  { head: 'Last heartbeat', cell: ({ seen_ms: seen }) => `${formatMs(seen)} ago` },
];

function Replicas({ replicas }: Pick<Status, 'replicas'>) {
  if (replicas === null) return <Text>Other gateways are not known while PostgreSQL is unavailable.</Text>;
  return (
    <Section title="Gateways on this database">
      <DataTable
        label="Gateways on this database"
        columns={REPLICAS}
        rows={replicas}
        keyOf={({ id }) => id}
        miw={320}
      />
    </Section>
  );
}
