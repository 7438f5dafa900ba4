import { Alert, Autocomplete, Button, Group, List, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { type AnswerOf, ApiError, call } from '../api/client.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { formatCount, formatShare } from '../parts/format.ts';
import { onSubmit } from '../parts/on-submit.ts';
import { Section } from '../parts/section.tsx';
import { Empty, Failure, Loading } from '../parts/state.tsx';
import { Usd } from '../parts/values.tsx';
import { type CalculatorSearch, SPANS, type Span, toTimes } from './calculator-search.ts';
import { catalogueQuery } from './catalogue.ts';

type WhatIf = AnswerOf<'/admin/v1/what_if', 'get'>;
type Line = WhatIf['data'][number];

const LINES: readonly Column<Line>[] = [
  {
    head: 'Provider',
    kind: 'name',
    cell: ({ provider_id: provider }) => provider,
    note: ({ model_id: model }) => model,
  },
  { head: 'Not compared', cell: ({ left_out: out }) => <LeftOut of={out} /> },
  { head: 'Requests', kind: 'figure', cell: ({ requests }) => formatCount(requests) },
  { head: 'Cost', kind: 'figure', cell: ({ actual_cost: actual }) => <Usd exact={actual} /> },
  { head: 'Would have cost', kind: 'figure', cell: ({ cost }) => <Usd exact={cost} /> },
  {
    head: 'Difference',
    kind: 'figure',
    cell: ({ actual_cost: actual, cost }) => <Difference actual={Number(actual)} cost={Number(cost)} />,
  },
];

const SOURCES: readonly Column<WhatIf['sources'][number]>[] = [
  { head: 'Model', kind: 'name', cell: ({ model_id: model }) => model ?? '–' },
  { head: 'Provider', cell: ({ provider_id: provider }) => provider ?? '–' },
  { head: 'Requests', kind: 'figure', cell: ({ requests }) => formatCount(requests) },
  { head: 'Cost', kind: 'figure', cell: ({ actual_cost: cost }) => <Usd exact={cost} /> },
];

const route = getRouteApi('/models/calculator');

/** What past requests would have cost on another model. */
export function CalculatorScreen() {
  const search = route.useSearch();
  const { model = '', from, span = 'month' } = search;
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['what-if', search],
    queryFn: () =>
      call('get', '/admin/v1/what_if', { query: { model, from_model: from, ...toTimes(span, new Date()) } }),
    enabled: model !== '',
    retry: false,
    staleTime: Infinity,
  });
  return (
    <Stack>
      <Link to="/models">← All models</Link>
      <Title>What would it have cost?</Title>
      <Text>
        The same requests at the prices of another model: their tokens, their caching and what changes a price
        are those that were billed.
      </Text>
      <Question key={JSON.stringify(search)} />
      {isFetching && !data && <Loading what="the comparison" />}
      {error && <NotCompared error={error} model={model} retry={() => void refetch()} />}
      {data && <Comparison answer={data} />}
    </Stack>
  );
}

interface NotComparedProps {
  error: Error;
  model: string;
  retry(): void;
}

/** Why there is no comparison; of a model that is not known, how to find one. */
function NotCompared({ error, model, retry }: NotComparedProps) {
  const isUnknown = error instanceof ApiError && error.param === 'model';
  if (!isUnknown) return <Failure error={error} retry={retry} />;
  return (
    <Alert role="alert" color="red" variant="outline" title="Choose another model">
      <Text>{error.message}</Text>
      <Text size="sm" mt="xs">
        Choose one of those that “On the model” suggests as you type, or{' '}
        <Link to="/models" search={{ find: model.slice(0, FIND_CHARACTERS) }}>
          look for it in the list of models
        </Link>
        .
      </Text>
    </Alert>
  );
}

const FIND_CHARACTERS = 4;

/** It is in the address, so that a link shows the same comparison. */
function Question() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const names = (useQuery(catalogueQuery).data?.data ?? []).map(({ id }) => id);
  const [model, setModel] = useState(search.model ?? '');
  const [from, setFrom] = useState(search.from ?? '');
  const [span, setSpan] = useState<Span>(search.span ?? 'month');
  const ask = (): void => {
    const next: CalculatorSearch = {
      ...(model.trim() !== '' && { model: model.trim() }),
      ...(from.trim() !== '' && { from: from.trim() }),
      ...(span !== 'month' && { span }),
    };
    void navigate({ search: next });
  };
  return (
    <form onSubmit={onSubmit(ask)} aria-label="Comparison">
      <Group align="end" gap="sm">
        <Autocomplete
          label="On the model"
          description="A model, or provider/model"
          required
          limit={20}
          miw={240}
          data={names}
          value={model}
          onChange={setModel}
        />
        <Autocomplete
          label="Instead of"
          description="Empty: of all models"
          limit={20}
          miw={240}
          data={names}
          value={from}
          onChange={setFrom}
        />
        <NativeSelect
          label="Requests of"
          value={span}
          onChange={({ currentTarget }) => setSpan(currentTarget.value as Span)}
          data={Object.entries(SPANS).map(([value, label]) => ({ value, label }))}
        />
        <Button type="submit">Compare</Button>
      </Group>
    </form>
  );
}

function Comparison({ answer }: { answer: WhatIf }) {
  const { data, sources, assumptions } = answer;
  if (sources.length === 0)
    return <Empty title="No requests in this period">Choose another period, or send some.</Empty>;
  if (data.length === 0) return <Empty title="No provider has this model">Choose a model of the list.</Empty>;
  return (
    <>
      <Section title="By provider">
        <DataTable
          label="By provider"
          columns={LINES}
          rows={data}
          keyOf={(line) => `${line.model_id} ${line.provider_id}`}
          miw={760}
        />
      </Section>
      <Section title="What answered">
        <DataTable label="What answered" columns={SOURCES} rows={sources} keyOf={(_source, index) => index} />
      </Section>
      <Section title="Assumptions">
        <List size="sm">
          {assumptions.map((text) => (
            <List.Item key={text}>{text}</List.Item>
          ))}
        </List>
      </Section>
    </>
  );
}

function LeftOut({ of }: { of: Line['left_out'] }) {
  if (of.length === 0) return '–';
  return of.map(({ reason, requests }) => (
    <Text key={reason} size="xs">
      {formatCount(requests)}: {reason}
    </Text>
  ));
}

function Difference({ actual, cost }: { actual: number; cost: number }) {
  if (actual === 0) return <>–</>;
  if (cost === actual) return <>the same</>;
  const share = formatShare(Math.abs(cost - actual) / actual);
  return <strong>{cost < actual ? `${share} less` : `${share} more`}</strong>;
}
