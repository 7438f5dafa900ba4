import { Group, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { AnswerOf } from '../api/client.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { Empty, Read } from '../parts/state.tsx';
import { settingsQuery } from './operations-queries.ts';
import { readOperationsSearch } from './operations-search.ts';

type List = AnswerOf<'/admin/v1/settings', 'get'>;
type Line = List['data'][number];

const COLUMNS: readonly Column<Line>[] = [
  { head: 'Setting', cell: ({ name }) => name },
  {
    head: 'Value',
    kind: 'name',
    cell: ({ value, next }) => (
      <>
        {value}
        {next !== null && <Text size="sm">{next} from the next start</Text>}
      </>
    ),
  },
  { head: 'From', cell: ({ source }) => source },
];

const route = getRouteApi('/operations');

/** The settings in force, and where each comes from. */
export function Settings() {
  return (
    <Read query={useQuery(settingsQuery)} what="settings">
      {(list) => <Listed list={list} />}
    </Read>
  );
}

function Listed({ list: data }: { list: List }) {
  const { find: found = '', all = false } = route.useSearch();
  const [find, setFind] = useState(found);
  const navigate = route.useNavigate();
  const wanted = find.toLowerCase();
  const shown = data.data.filter(
    ({ name, value, source }) =>
      (all || source !== 'default') && `${name} ${value}`.toLowerCase().includes(wanted),
  );
  const change = (next: object): void =>
    void navigate({ search: (old) => readOperationsSearch({ ...old, ...next }), replace: true });
  return (
    <Stack>
      <Text size="sm">{data.file === null ? 'There is no sluice.yaml.' : `The file is ${data.file}.`}</Text>
      <Group align="end">
        <TextInput
          label="Find"
          value={find}
          onChange={({ currentTarget }) => {
            setFind(currentTarget.value);
            change({ find: currentTarget.value });
          }}
        />
        <Switch
          label="Include defaults"
          checked={all}
          onChange={({ currentTarget }) => change({ all: currentTarget.checked })}
        />
      </Group>
      {shown.length === 0 ? (
        <Empty title="No matching settings">Nobody set one like this; “Include defaults” shows all.</Empty>
      ) : (
        <DataTable label="Settings" columns={COLUMNS} rows={shown} keyOf={({ name }) => name} />
      )}
    </Stack>
  );
}
