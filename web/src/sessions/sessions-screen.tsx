import { Button, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { AnswerOf } from '../api/client.ts';
import { sessionsQuery } from '../api/queries.ts';
import { formatCount } from '../parts/format.ts';
import { onSubmit } from '../parts/on-submit.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { NamePicker } from '../parts/names/name-picker.tsx';
import { OnlyOf } from '../parts/names/only-of.tsx';
import { useCan } from '../parts/use-can.ts';
import { Paged } from '../parts/lists/paged.tsx';
import { toRecords } from '../parts/lists/records.ts';
import { Empty } from '../parts/state.tsx';
import { useNamesOf } from '../parts/names/use-names.ts';
import { Moment, Share, Usd } from '../parts/values.tsx';
import { SPANS, type SessionsSearch, type Span, readSessionsSearch } from './session-search.ts';

type SessionLine = AnswerOf<'/admin/v1/sessions', 'get'>['data'][number];

const createColumns = (names: ReadonlyMap<string, string>): readonly Column<SessionLine>[] => [
  {
    head: 'Session',
    kind: 'name',
    cell: ({ id, organization_id: organization, end_user_id: user }) => (
      <>
        <Link to="/sessions/$id" params={{ id }} search={{ organization_id: organization }}>
          {id}
        </Link>
        {user !== null && <Text size="xs">for {user}</Text>}
      </>
    ),
  },
  {
    head: 'Key',
    kind: 'name',
    cell: ({ key_ids: keys }) => describeKeys(keys.map((key) => names.get(key) ?? key)),
  },
  { head: 'Client', kind: 'name', cell: ({ client_name: client }) => client ?? 'unknown' },
  { head: 'Last request', cell: ({ last_request_at: at }) => <Moment iso={at} /> },
  {
    head: 'Requests',
    kind: 'figure',
    cell: ({ requests }) => formatCount(requests),
    note: ({ failed_requests: failed }) =>
      failed > 0 && <span className="failed">{formatCount(failed)} failed</span>,
  },
  { head: 'Sub-agents', kind: 'figure', cell: ({ agents }) => formatCount(agents) },
  { head: 'Input tokens', kind: 'figure', cell: ({ input_tokens: tokens }) => formatCount(tokens) },
  { head: 'From cache', kind: 'figure', cell: ({ cache_share: share }) => <Share of={share} /> },
  { head: 'Output tokens', kind: 'figure', cell: ({ output_tokens: tokens }) => formatCount(tokens) },
  { head: 'Cost', kind: 'figure', cell: ({ cost }) => <Usd exact={cost} /> },
];

const describeKeys = ([first = '–', ...others]: readonly string[]): string =>
  others.length > 1 ? `${first} and ${others.length} others` : [first, ...others].join(', ');

const route = getRouteApi('/sessions');

/** Sessions of coding agents and other clients, with what each cost. */
export function SessionsScreen() {
  const search = route.useSearch();
  const list = toRecords(useInfiniteQuery(sessionsQuery(search)));
  const records = list.records && listOnce(list.records);
  const names = useNamesOf((records ?? []).flatMap(({ key_ids: keys }) => keys));
  return (
    <Stack>
      <Title>Sessions</Title>
      <Filters key={`${search.client_name} ${search.end_user_id}`} />
      <Paged
        list={{ ...list, records }}
        what="sessions"
        empty={
          <Empty title="No sessions in this period">
            Claude Code, Codex and opencode name their sessions themselves; other clients send the header
            x-gateway-session.
          </Empty>
        }
      >
        {(lines) => (
          <DataTable label="Sessions" columns={createColumns(names)} rows={lines} keyOf={keyOf} miw={960} />
        )}
      </Paged>
    </Stack>
  );
}

const keyOf = (line: SessionLine): string => `${line.organization_id} ${line.id}`;

/** A session that gets a request between the reading of two pages may be in both. */
function listOnce(lines: readonly SessionLine[]): SessionLine[] {
  const known = new Set<string>();
  return lines.filter((line) => known.size < known.add(keyOf(line)).size);
}

const OWNERS = ['member_id', 'project_id', 'organization_id'] as const;

/** They are in the address, so that a link shows the same sessions. */
function Filters() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [client, setClient] = useState(search.client_name ?? '');
  const [user, setUser] = useState(search.end_user_id ?? '');
  const apply = (change: Record<keyof SessionsSearch, unknown> | Record<string, unknown>): void =>
    void navigate({ search: (old) => readSessionsSearch({ ...old, ...change }) });
  const submit = onSubmit(() => apply({ client_name: client.trim(), end_user_id: user.trim() }));
  return (
    <form onSubmit={submit} aria-label="Filters">
      <Group align="end" gap="sm">
        <NativeSelect
          label="Period"
          value={search.span ?? 'day'}
          onChange={({ currentTarget }) => apply({ span: currentTarget.value })}
          data={(Object.keys(SPANS) as Span[]).map((span) => ({ value: span, label: SPANS[span].name }))}
        />
        <NativeSelect
          label="Order"
          value={search.sort ?? ''}
          onChange={({ currentTarget }) => apply({ sort: currentTarget.value })}
          data={[
            { value: '', label: 'Latest first' },
            { value: 'cost', label: 'Most expensive first' },
          ]}
        />
        <TextInput
          label="Client"
          placeholder="claude-code"
          value={client}
          onChange={({ currentTarget }) => setClient(currentTarget.value)}
        />
        <TextInput
          label="End user"
          value={user}
          onChange={({ currentTarget }) => setUser(currentTarget.value)}
        />
        <OwnerFilters search={search} apply={apply} />
        <Button type="submit" variant="default">
          Filter
        </Button>
      </Group>
    </form>
  );
}

interface OwnerFiltersProps {
  search: SessionsSearch;
  apply(change: Record<string, unknown>): void;
}

/** A session that may not read names can only end the filters of a link. */
function OwnerFilters({ search, apply }: OwnerFiltersProps) {
  const canRead = useCan()('accounts', 'read');
  return (
    <>
      {canRead && (
        <NamePicker
          label="Key"
          path="/admin/v1/keys"
          value={search.key_id}
          choose={(id) => apply({ key_id: id })}
        />
      )}
      <OnlyOf
        filters={canRead ? OWNERS : ['key_id', ...OWNERS]}
        search={search}
        remove={(filter) => apply({ [filter]: undefined })}
      />
    </>
  );
}
