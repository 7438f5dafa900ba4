import { Alert, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { providersQuery } from '../api/queries.ts';
import { formatCount, formatMs } from '../parts/format.ts';
import { Section, WideTable } from '../parts/section.tsx';
import { Empty, Failure, Loading } from '../parts/state.tsx';
import { Share } from '../parts/values.tsx';
import { useCan, useIsMember, useSeesAll } from '../parts/use-can.ts';
import { type Model, type Offer, abilitiesOf, catalogueQuery, endOf } from './catalogue.ts';
import { Price } from './price.tsx';

const HEAD = [
  'Provider',
  'Input',
  'Cached',
  'Written',
  'Output',
  'Max output',
  'First token',
  'Tokens/s',
  'Failed',
];
const route = getRouteApi('/models/$id');

/** One model: what each provider asks for it, and what calls have shown. */
export function ModelScreen() {
  const { id } = route.useParams();
  const { data, error, isPending, refetch } = useQuery(catalogueQuery);
  if (isPending) return <Loading what="the model" />;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  const model = data.data.find((one) => one.id === id);
  if (!model)
    return <Empty title="There is no such model">It may have ended, or be a model of your own.</Empty>;
  return <Found model={model} />;
}

function Found({ model }: { model: Model }) {
  const end = endOf(model);
  const canCompare = useCan()('logs', 'read') && !useIsMember();
  const { input_modalities: takes, output_modalities: gives } = model.architecture;
  return (
    <Stack>
      <Link to="/models">All models</Link>
      <Title order={1} size="h2">
        {model.display_name}
      </Title>
      {end !== undefined && (
        <Alert color="yellow" variant="outline" title={`It ends on ${end.slice(0, 10)}`} />
      )}
      {model.description !== '' && <Text>{model.description}</Text>}
      <Text size="sm">
        {model.id}; reads {takes.join(', ')}, writes {gives.join(', ')}; context{' '}
        {model.context_length === 0 ? 'unknown' : formatCount(model.context_length)}; can use{' '}
        {abilitiesOf(model).join(', ') || 'none of tools, images, reasoning, JSON schema'}
        {model.aliases.length > 0 && `; also called ${model.aliases.join(', ')}`}
      </Text>
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
    </Stack>
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
        Prices in USD per million tokens. Times and failures are those of this gateway’s latest calls
        {isMeasured ? '.' : '; your rights do not show them.'}
      </Text>
      <WideTable label="Providers" head={HEAD} figures={8} miw={860}>
        {model.providers.map((offer) => (
          <OfferRow key={`${offer.providerId} ${offer.externalId}`} offer={offer} health={healthOf(offer)} />
        ))}
      </WideTable>
    </Section>
  );
}

interface Health {
  first_event_ms: number | null;
  ms_per_token: number | null;
  failed_share: number;
}

function OfferRow({ offer, health }: { offer: Offer; health: Health | undefined }) {
  const { providerId, externalId, pricing, max_output: most } = offer;
  const { first_event_ms: first = null, ms_per_token: perToken = null } = health ?? {};
  return (
    <Table.Tr>
      <Table.Td className="name">
        {providerId}
        <Text size="xs" className="quiet">
          {externalId}
        </Text>
      </Table.Td>
      {[pricing.prompt, pricing.input_cache_read, pricing.input_cache_write, pricing.completion].map(
        (price, index) => (
          <Table.Td key={index} ta="end">
            <Price of={price} />
          </Table.Td>
        ),
      )}
      <Table.Td ta="end">{most === 0 ? '–' : formatCount(most)}</Table.Td>
      <Table.Td ta="end">{first === null ? '–' : formatMs(first)}</Table.Td>
      <Table.Td ta="end">{perToken ? (1_000 / perToken).toFixed(1) : '–'}</Table.Td>
      <Table.Td ta="end">
        <Share of={health?.failed_share ?? null} />
      </Table.Td>
    </Table.Tr>
  );
}
