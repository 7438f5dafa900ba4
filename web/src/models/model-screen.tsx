import { Alert, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import type { AnswerOf } from '../api/client.ts';
import { providersQuery } from '../api/queries.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { formatCount, formatRate, formatTime } from '../parts/format.ts';
import { Section } from '../parts/section.tsx';
import { Empty, Read } from '../parts/state.tsx';
import { Share } from '../parts/values.tsx';
import { useCan, useIsMember, useSeesAll } from '../parts/use-can.ts';
import { type Model, type Offer, catalogueQuery, endOf } from './catalogue.ts';
import { ModelFacts } from './model-facts.tsx';
import { Price } from './price.tsx';
import { UnitPrices, hasUnitPrices } from './unit-prices.tsx';

type Health = AnswerOf<'/admin/v1/providers', 'get'>['data'][number]['health'][number];

/** An offer, with what calls of it have shown. */
interface OfferWithHealth extends Offer {
  health: Health | undefined;
}

const COLUMNS: readonly Column<OfferWithHealth>[] = [
  {
    head: 'Provider',
    kind: 'name',
    cell: ({ providerId }) => providerId,
    note: ({ externalId }) => externalId,
  },
  { head: 'Input', kind: 'figure', cell: ({ pricing }) => <Price of={pricing.prompt} /> },
  { head: 'Output', kind: 'figure', cell: ({ pricing }) => <Price of={pricing.completion} /> },
  { head: 'Cached', kind: 'figure', cell: ({ pricing }) => <Price of={pricing.input_cache_read} /> },
  { head: 'Written', kind: 'figure', cell: ({ pricing }) => <Price of={pricing.input_cache_write} /> },
];

const MEASURED: readonly Column<OfferWithHealth>[] = [
  {
    head: 'Max output',
    kind: 'figure',
    cell: ({ max_output: most }) => (most === 0 ? '–' : formatCount(most)),
  },
  { head: 'First token', kind: 'figure', cell: ({ health }) => formatTime(health?.first_event_ms) },
  { head: 'Tokens/s', kind: 'figure', cell: ({ health }) => formatRate(health?.ms_per_token) },
  { head: 'Uptime', kind: 'figure', cell: ({ health }) => <Uptime of={health} /> },
];

/** What few models have. */
const UNITS: Column<OfferWithHealth> = {
  head: 'Other prices',
  cell: ({ pricing }) => <UnitPrices of={pricing} />,
};

function Uptime({ of }: { of: Health | undefined }) {
  return of?.called === false ? 'not called yet' : <Share of={uptimeOf(of)} />;
}

const uptimeOf = (health: Health | undefined): number | null =>
  health?.called !== true ? null : 1 - health.failed_share;

const route = getRouteApi('/models/$id');

/** One model: what each provider asks for it, and what calls have shown. */
export function ModelScreen() {
  const { id } = route.useParams();
  return (
    <Stack>
      <Link to="/models">← All models</Link>
      <Read query={useQuery(catalogueQuery)} what="the model">
        {({ data }) => <Chosen model={data.find((one) => one.id === id)} />}
      </Read>
    </Stack>
  );
}

function Chosen({ model }: { model: Model | undefined }) {
  if (model) return <Found model={model} />;
  return <Empty title="Model not found">It may have ended, or be a model of your own.</Empty>;
}

function Found({ model }: { model: Model }) {
  const end = endOf(model);
  const canCompare = useCan()('logs', 'read') && !useIsMember();
  return (
    <>
      <Title>{model.display_name}</Title>
      {end !== undefined && (
        <Alert color="yellow" variant="outline" title={`It ends on ${end.slice(0, 10)}`} />
      )}
      {model.description !== '' && <Text>{model.description}</Text>}
      <ModelFacts model={model} />
      <Group>
        <Link to="/playground" search={{ models: model.id }}>
          Open in the playground
        </Link>
        {canCompare && (
          <Link to="/models/calculator" search={{ model: model.id }}>
            What would the last 30 days have cost with it?
          </Link>
        )}
      </Group>
      <Offers model={model} />
    </>
  );
}

function Offers({ model }: { model: Model }) {
  const can = useCan();
  const isMeasured = useSeesAll() && can('operations', 'read');
  const { data } = useQuery({ ...providersQuery, enabled: isMeasured });
  const healthOf = ({ providerId, externalId }: Offer) =>
    data?.data.find(({ id }) => id === providerId)?.health.find(({ model: called }) => called === externalId);
  return (
    <Section title="Providers">
      <Text size="sm" mb="xs">
        Prices in USD per million tokens. Times, and the uptime, which is the share of calls that did not
        fail, are those of this gateway’s latest calls{isMeasured ? '.' : '; your rights do not show them.'}
      </Text>
      <DataTable
        label="Providers"
        columns={[...COLUMNS, ...(model.providers.some(hasUnitPrices) ? [UNITS] : []), ...MEASURED]}
        rows={model.providers.map((offer) => ({ ...offer, health: healthOf(offer) }))}
        keyOf={({ providerId, externalId }) => `${providerId} ${externalId}`}
        miw={860}
      />
    </Section>
  );
}
