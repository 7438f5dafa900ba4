import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../api/client.ts';
import { formatCount } from '../parts/format.ts';
import { Section, WideTable } from '../parts/section.tsx';
import { Empty, Failure, Loading } from '../parts/state.tsx';
import { Moment } from '../parts/values.tsx';
import { alertsQuery } from './operations-queries.ts';

type List = AnswerOf<'/admin/v1/alerts', 'get'>;

/** What lasts, and the latest alerts with what became of them. */
export function Alerts() {
  const { data, error, isPending, refetch } = useQuery(alertsQuery);
  if (isPending) return <Loading what="alerts" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  const { conditions, data: alerts } = data;
  if (conditions.length + alerts.length === 0)
    return (
      <Empty title="No alert">
        With alerts in the configuration, a webhook is told of budgets, outages, exports and the ledger.
      </Empty>
    );
  return (
    <Stack>
      <Section title="Open now">
        {conditions.length === 0 ? <Text>Nothing.</Text> : <Conditions of={conditions} />}
      </Section>
      <Section title="Latest alerts">
        {alerts.length === 0 ? <Text>None was sent yet.</Text> : <Sent of={alerts} />}
      </Section>
    </Stack>
  );
}

function Conditions({ of }: { of: List['conditions'] }) {
  return (
    <WideTable label="Open now" head={['Condition', 'Since', 'Values']}>
      {of.map(({ name, since, data }) => (
        <Table.Tr key={name}>
          <Table.Td className="name">{name}</Table.Td>
          <Table.Td>
            <Moment iso={since} />
          </Table.Td>
          <Table.Td className="name">
            <Values of={data} />
          </Table.Td>
        </Table.Tr>
      ))}
    </WideTable>
  );
}

function Sent({ of }: { of: List['data'] }) {
  return (
    <WideTable label="Latest alerts" head={['Time', 'Alert', 'Delivery', 'Values']} miw={760}>
      {of.map(({ id, type, created_at: at, attempts, outcome, data }) => (
        <Table.Tr key={id}>
          <Table.Td>
            <Moment iso={at} />
          </Table.Td>
          <Table.Td className="name">{type}</Table.Td>
          <Table.Td className={outcome === 'abandoned' ? 'failed' : ''}>
            {outcome}, {formatCount(attempts)} {attempts === 1 ? 'attempt' : 'attempts'}
          </Table.Td>
          <Table.Td className="name">
            <Values of={data} />
          </Table.Td>
        </Table.Tr>
      ))}
    </WideTable>
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
