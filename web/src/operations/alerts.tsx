import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../api/client.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { countOf } from '../parts/format.ts';
import { Section } from '../parts/section.tsx';
import { Empty, Read } from '../parts/state.tsx';
import { useNamesOf } from '../parts/names/use-names.ts';
import { Moment } from '../parts/values.tsx';
import { describeAlert, nameAlert } from './describe-alert.ts';
import { alertsQuery } from './operations-queries.ts';

type List = AnswerOf<'/admin/v1/alerts', 'get'>;

type Names = ReadonlyMap<string, string>;

const createConditions = (names: Names): readonly Column<List['conditions'][number]>[] => [
  {
    head: 'Condition',
    kind: 'name',
    cell: ({ name, data }) => <Words type={BEGINS[name.split('/')[0] ?? ''] ?? ''} of={data} names={names} />,
    note: ({ name }) => name,
  },
  { head: 'Since', cell: ({ since }) => <Moment iso={since} /> },
];

/** What the conditions of a kind begin with. */
const BEGINS: Readonly<Record<string, string>> = {
  provider: 'provider.outage',
  export: 'export.failing',
};

const createAlerts = (names: Names): readonly Column<List['data'][number]>[] => [
  { head: 'Time', cell: ({ created_at: at }) => <Moment iso={at} /> },
  {
    head: 'Alert',
    kind: 'name',
    cell: ({ type, data }) => <Words type={type} of={data} names={names} />,
    note: ({ type }) => nameAlert(type),
  },
  {
    head: 'Delivery',
    isFailed: ({ outcome }) => outcome === 'abandoned',
    cell: ({ outcome, attempts }) => `${outcome}, ${countOf(attempts, 'attempt')}`,
  },
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
  const organizations = [...conditions, ...alerts].map(({ data }) => data['organization_id']);
  const names = useNamesOf(organizations.filter((id) => typeof id === 'string'));
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
          <DataTable
            label="Open now"
            columns={createConditions(names)}
            rows={conditions}
            keyOf={({ name }) => name}
          />
        )}
      </Section>
      <Section title="Latest alerts">
        {alerts.length === 0 ? (
          <Text>None was sent yet.</Text>
        ) : (
          <DataTable
            label="Latest alerts"
            columns={createAlerts(names)}
            rows={alerts}
            keyOf={({ id }) => id}
            miw={760}
          />
        )}
      </Section>
    </Stack>
  );
}

interface WordsProps {
  type: string;
  of: Readonly<Record<string, unknown>>;
  names: Names;
}

/** A sentence; the values of a type that is not known. */
function Words({ type, of, names }: WordsProps) {
  return describeAlert(type, of, names) ?? <Values of={of} />;
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
