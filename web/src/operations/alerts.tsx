import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../api/client.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { countOf } from '../parts/format.ts';
import { Section } from '../parts/section.tsx';
import { Empty, Read } from '../parts/state.tsx';
import { Moment } from '../parts/values.tsx';
import { alertsQuery } from './operations-queries.ts';

type List = AnswerOf<'/admin/v1/alerts', 'get'>;

const CONDITIONS: readonly Column<List['conditions'][number]>[] = [
  { head: 'Condition', kind: 'name', cell: ({ name }) => name },
  { head: 'Since', cell: ({ since }) => <Moment iso={since} /> },
  { head: 'Values', kind: 'name', cell: ({ data }) => <Values of={data} /> },
];

const ALERTS: readonly Column<List['data'][number]>[] = [
  { head: 'Time', cell: ({ created_at: at }) => <Moment iso={at} /> },
  { head: 'Alert', kind: 'name', cell: ({ type }) => type },
  {
    head: 'Delivery',
    isFailed: ({ outcome }) => outcome === 'abandoned',
    cell: ({ outcome, attempts }) => `${outcome}, ${countOf(attempts, 'attempt')}`,
  },
  { head: 'Values', kind: 'name', cell: ({ data }) => <Values of={data} /> },
];

/** What lasts, and the latest alerts with what became of them. */
export function Alerts() {
  return (
    <Read query={useQuery(alertsQuery)} what="alerts">
      {(list) => <Listed list={list} />}
    </Read>
  );
}

function Listed({ list: { conditions, data: alerts } }: { list: List }) {
  if (conditions.length + alerts.length === 0)
    return (
      <Empty title="No alert">
        With alerts in the configuration, a webhook is told of budgets, outages, exports and the ledger.
      </Empty>
    );
  return (
    <Stack>
      <Section title="Open now">
        {conditions.length === 0 ? (
          <Text>Nothing.</Text>
        ) : (
          <DataTable label="Open now" columns={CONDITIONS} rows={conditions} keyOf={({ name }) => name} />
        )}
      </Section>
      <Section title="Latest alerts">
        {alerts.length === 0 ? (
          <Text>None was sent yet.</Text>
        ) : (
          <DataTable label="Latest alerts" columns={ALERTS} rows={alerts} keyOf={({ id }) => id} miw={760} />
        )}
      </Section>
    </Stack>
  );
}

function Values({ of }: { of: Readonly<Record<string, unknown>> }) {
  return Object.entries(of)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => (
      <Text key={name} size="sm">
        {name}: {typeof value === 'string' ? value : JSON.stringify(value)}
      </Text>
    ));
}
