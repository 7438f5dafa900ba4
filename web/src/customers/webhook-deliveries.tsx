import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type AnswerOf, call } from '../api/client.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { countOf } from '../parts/format.ts';
import { Section } from '../parts/section.tsx';
import { Read } from '../parts/state.tsx';
import { useNamesOf } from '../parts/names/use-names.ts';
import { Moment } from '../parts/values.tsx';

type Delivery = AnswerOf<'/admin/v1/webhook_deliveries', 'get'>['data'][number];

/** Messages under way change by themselves. */
const REFRESH_MS = 10_000;

/** The latest messages to the webhooks of an organization's projects. */
export function WebhookDeliveries({ organizationId }: { organizationId: string }) {
  const query = { organization_id: organizationId };
  const deliveries = useQuery({
    queryKey: ['webhook_deliveries', organizationId],
    queryFn: () => call('get', '/admin/v1/webhook_deliveries', { query }),
    refetchInterval: REFRESH_MS,
  });
  return (
    <Section title="Webhook deliveries">
      <Read query={deliveries} what="webhook deliveries">
        {({ data }) => <DeliveryTable deliveries={data} />}
      </Read>
    </Section>
  );
}

function DeliveryTable({ deliveries }: { deliveries: readonly Delivery[] }) {
  const names = useNamesOf([...new Set(deliveries.map(({ project_id: id }) => id))]);
  if (deliveries.length === 0)
    return (
      <Text>
        Nothing was sent yet. npx sluice videos webhook sets where a project is notified of its finished
        videos.
      </Text>
    );
  return (
    <DataTable
      label="Webhook deliveries"
      columns={createColumns(names)}
      rows={deliveries}
      keyOf={({ id }) => id}
      miw={720}
    />
  );
}

const createColumns = (names: ReadonlyMap<string, string>): readonly Column<Delivery>[] => [
  { head: 'Time', cell: ({ created_at: at }) => <Moment iso={at} /> },
  { head: 'Message', kind: 'name', cell: ({ type }) => type, note: ({ id }) => id },
  { head: 'Video', cell: ({ video_id: id }) => id },
  { head: 'Project', kind: 'name', cell: ({ project_id: id }) => names.get(id) ?? id },
  {
    head: 'Delivery',
    isFailed: ({ outcome }) => outcome === 'abandoned',
    cell: ({ outcome, attempts }) => `${outcome}, ${countOf(attempts, 'attempt')}`,
  },
  {
    head: 'Next attempt',
    cell: ({ next_attempt_at: at }) => (at === null ? '–' : <Moment iso={at} />),
  },
];
