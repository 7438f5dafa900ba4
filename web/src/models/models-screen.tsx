import { Group, NativeSelect, Stack, Switch, Text, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { countOf, formatCount } from '../parts/format.ts';
import { useCan, useIsMember } from '../parts/use-can.ts';
import { useNarrow } from '../parts/lists/use-narrow.ts';
import { Empty, Failure, Loading } from '../parts/state.tsx';
import { findFault } from '../parts/find-fault.ts';
import { ABILITY_NAMES, type Model, availableQuery, catalogueQuery, chooseModels } from './catalogue.ts';
import { ModelCards } from './model-cards.tsx';
import { ModelRows } from './model-rows.tsx';
import { ABILITIES, type ModelsSearch, ORDERS, type Order, readModelsSearch } from './models-search.ts';
import { useMeasured } from './use-measured.ts';

const CHOICES = [
  { value: '', label: 'any' },
  ...ABILITIES.map((value) => ({ value, label: ABILITY_NAMES[value] })),
];
const ORDER_NAMES: Readonly<Record<Order, string>> = {
  name: 'Name',
  context: 'Longest context',
  input: 'Cheapest input',
  cached: 'Cheapest cached input',
  output: 'Cheapest output',
};
const dollars = (amount: number): string => `$${amount}`;
const BOUNDS = [
  { name: 'input', label: 'Max input price', unit: dollars, amounts: [0.25, 1, 3, 10] },
  { name: 'output', label: 'Max output price', unit: dollars, amounts: [1, 5, 15, 50] },
  {
    name: 'context',
    label: 'Min context',
    unit: formatCount,
    amounts: [32_000, 128_000, 200_000, 1_000_000],
  },
] as const;

/** The usual bounds, and one that the address names. */
function listBounds(
  usual: readonly number[],
  own: number | undefined,
  unit: (amount: number) => string,
): { value: string; label: string }[] {
  const amounts = [...new Set([...usual, ...(own === undefined ? [] : [own])])].sort((a, b) => a - b);
  return amounts.map((amount) => ({ value: String(amount), label: unit(amount) }));
}

const route = getRouteApi('/models');

/** The catalogue: every model with its prices, to filter, sort and compare. */
export function ModelsScreen() {
  const search = route.useSearch();
  const catalogue = useQuery(search.available ? availableQuery : catalogueQuery);
  const { data, isPending, refetch } = catalogue;
  const fault = findFault(catalogue);
  const canCompare = useCan()('logs', 'read') && !useIsMember();
  const chosen = chooseModels(data?.data ?? [], search);
  const measured = useMeasured();
  const List = useNarrow() ? ModelCards : ModelRows;
  return (
    <Stack>
      <Group justify="space-between">
        <Title>Models</Title>
        {canCompare && <Link to="/models/calculator">What would it have cost?</Link>}
      </Group>
      <Filters models={data?.data ?? []} />
      {isPending && !fault && <Loading what="models" />}
      {fault && <Failure error={fault} retry={() => void refetch()} isOld={data !== undefined} />}
      {data && (
        <Text size="sm" role="status">
          {formatCount(chosen.length)} of {countOf(data.data.length, 'model')}; prices in USD per million
          tokens, those of the cheapest provider. First token: the median of your requests of the last seven
          days.
        </Text>
      )}
      {data && chosen.length === 0 && <Empty title="No matching models">Remove a filter.</Empty>}
      {chosen.length > 0 && <List models={chosen} measured={measured} />}
    </Stack>
  );
}

/** They are in the address, so that a link shows the same models. */
function Filters({ models }: { models: readonly Model[] }) {
  const search = route.useSearch();
  const [find, setFind] = useState(search.find ?? '');
  const apply = useApply();
  const providers = new Set(models.flatMap((model) => model.providers.map(({ providerId }) => providerId)));
  return (
    <Group align="end" gap="sm" role="search" aria-label="Filters">
      <TextInput
        label="Find"
        value={find}
        onChange={({ currentTarget }) => {
          setFind(currentTarget.value);
          apply({ find: currentTarget.value });
        }}
      />
      <NativeSelect
        label="Provider"
        value={search.provider ?? ''}
        onChange={({ currentTarget }) => apply({ provider: currentTarget.value })}
        data={[{ value: '', label: 'any' }, ...[...providers].sort()]}
      />
      <NativeSelect
        label="Capabilities"
        value={search.can ?? ''}
        onChange={({ currentTarget }) => apply({ can: currentTarget.value })}
        data={CHOICES}
      />
      {BOUNDS.map(({ name, label, unit, amounts }) => (
        <NativeSelect
          key={name}
          label={label}
          value={String(search[name] ?? '')}
          onChange={({ currentTarget }) => apply({ [name]: currentTarget.value })}
          data={[{ value: '', label: 'any' }, ...listBounds(amounts, search[name], unit)]}
        />
      ))}
      {useNarrow() && <OrderSelect />}
      <Switches />
    </Group>
  );
}

function Switches() {
  const search = route.useSearch();
  const apply = useApply();
  return (
    <Group gap="md" w="100%">
      <Switch
        label="Only models that can be called here"
        checked={search.available ?? false}
        onChange={({ currentTarget }) => apply({ available: currentTarget.checked })}
      />
      <Switch
        label="Include deprecated models"
        checked={search.ended ?? false}
        onChange={({ currentTarget }) => apply({ ended: currentTarget.checked })}
      />
    </Group>
  );
}

/** Changes the filters in the address. */
function useApply(): (change: { [Name in keyof ModelsSearch]?: unknown }) => void {
  const navigate = route.useNavigate();
  return (change) =>
    void navigate({ search: (old) => readModelsSearch({ ...old, ...change }), replace: true });
}

/** For a screen without heads to sort by. */
function OrderSelect() {
  const { sort = 'name' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <NativeSelect
      label="Order"
      value={sort}
      onChange={({ currentTarget: { value } }) =>
        void navigate({ search: (old) => readModelsSearch({ ...old, sort: value }), replace: true })
      }
      data={ORDERS.map((value) => ({ value, label: ORDER_NAMES[value] }))}
    />
  );
}
