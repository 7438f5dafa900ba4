import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { type RecordOf, useRecords } from '../access/access-queries.ts';
import { onSubmit } from '../parts/on-submit.ts';
import { describeBrowser } from '../parts/describe-browser.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { useNamesOf } from '../parts/names/use-names.ts';
import { useActors } from './use-actors.ts';
import { Paged } from '../parts/lists/paged.tsx';
import { Empty } from '../parts/state.tsx';
import { capitalize } from '../parts/format.ts';
import { Moment, Usd } from '../parts/values.tsx';
import { readOperationsSearch } from './operations-search.ts';

type Entry = RecordOf<'/admin/v1/audit_logs'>;

/** An id fits in one line. */
const ID_WIDTH = '17rem';
/** The same in the smaller text of a note. */
const NOTE_WIDTH = '14rem';
const route = getRouteApi('/operations');

/** Who changed what, newest first. */
export function AuditLog() {
  const { actor, action, subject_id: subject } = route.useSearch();
  const filter = { actor, action, subject_id: subject };
  const list = useRecords('/admin/v1/audit_logs', filter);
  const nameOf = useActors();
  const names = useNamesOf((list.records ?? []).map(({ subject_id: subject }) => subject));
  return (
    <Stack>
      <Filters key={JSON.stringify(filter)} />
      <Paged list={list} what="changes" empty={<Empty title="No matching changes">Remove a filter.</Empty>}>
        {(entries) => (
          <DataTable
            label="Audit log"
            columns={createColumns(nameOf, names)}
            rows={entries}
            keyOf={({ id }) => id}
            miw={900}
          />
        )}
      </Paged>
    </Stack>
  );
}

const createColumns = (
  nameOf: (actor: string) => string | undefined,
  names: ReadonlyMap<string, string>,
): Column<Entry>[] => [
  { head: 'Time', cell: ({ created_at: at }) => <Moment iso={at} /> },
  {
    head: 'Actor',
    kind: 'name',
    width: NOTE_WIDTH,
    cell: ({ actor, person }) => person ?? nameOf(actor) ?? actor,
    note: ({ actor, person }) => ((person ?? nameOf(actor)) === undefined ? undefined : actor),
  },
  { head: 'Change', cell: ({ action }) => <span title={action}>{describeAction(action)}</span> },
  {
    head: 'Record',
    kind: 'name',
    width: ID_WIDTH,
    cell: ({ subject_id: subject }) => names.get(subject) ?? subject,
    note: ({ subject_id: subject }) => (names.has(subject) ? subject : undefined),
  },
  { head: 'Values', kind: 'name', cell: (entry) => <Values of={entry} /> },
];

function Values({ of: { before, after } }: { of: Entry }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const changed = names.filter(
    (name) =>
      show(before?.[name]) !== show(after?.[name]) &&
      ![before?.[name], after?.[name]].includes(HIDDEN) &&
      !(before === null && IN_COLUMNS.includes(name)),
  );
  return changed.map((name) => (
    <Text key={name} size="sm" component="div">
      {name.replaceAll('_', ' ')}:{' '}
      {before?.[name] !== undefined && after !== null && (
        <>
          <Value name={name} of={before[name]} />
          {' → '}
        </>
      )}
      <Value name={name} of={(after ?? before)?.[name]} />
    </Text>
  ));
}

/** What the gateway writes instead of a digest. */
const HIDDEN = '(not shown)';

/** What other columns say of a new record. */
const IN_COLUMNS = ['id', 'created_at'];

/** The columns that are amounts of USD: the database writes them as exact decimals. */
const AMOUNTS = ['amount', 'budget', 'credits', 'limit', 'premium', 'price', 'recurring_lim'];
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** A value for reading: an amount as money, and what a browser calls itself by the browser’s name. */
function Value({ name, of: value }: { name: string; of: unknown }) {
  if (name === 'price' && typeof value === 'object' && value !== null) return <Prices of={value} />;
  if (typeof value !== 'string') return show(value);
  if (name === 'user_agent') return describeBrowser(value);
  if (name.endsWith('_at') && !Number.isNaN(Date.parse(value))) return <Moment iso={value} />;
  return AMOUNTS.includes(name) && DECIMAL.test(value) ? <Usd exact={value} /> : value;
}

function show(value: unknown): string {
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(show).join(', ');
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return Object.entries(value)
    .map(([name, member]) => `${name.replaceAll('_', ' ')}: ${show(member)}`)
    .join('; ');
}

/** `provider_key.created` as “Provider key created”. */
const describeAction = (action: string): string => capitalize(action.replaceAll(/[._]/g, ' '));

/** Of a custom model: a price for each kind of token. */
function Prices({ of }: { of: object }) {
  return Object.entries(of as Readonly<Record<string, unknown>>).map(([part, amount], index) => (
    <Fragment key={part}>
      {index > 0 && ', '}
      {part} <Value name="price" of={amount} />
    </Fragment>
  ));
}

function Filters() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [actor, setActor] = useState(search.actor ?? '');
  const [action, setAction] = useState(search.action ?? '');
  const [subject, setSubject] = useState(search.subject_id ?? '');
  const submit = onSubmit(
    () =>
      void navigate({
        search: (old) =>
          readOperationsSearch({
            ...old,
            actor: actor.trim(),
            action: action.trim(),
            subject_id: subject.trim(),
          }),
      }),
  );
  return (
    <form onSubmit={submit} aria-label="Filters">
      <Group align="end" gap="sm">
        <TextInput
          label="Actor"
          placeholder="command line"
          value={actor}
          onChange={({ currentTarget }) => setActor(currentTarget.value)}
        />
        <TextInput
          label="Change"
          placeholder="key.updated"
          value={action}
          onChange={({ currentTarget }) => setAction(currentTarget.value)}
        />
        <TextInput
          label="Record"
          placeholder="an id"
          value={subject}
          onChange={({ currentTarget }) => setSubject(currentTarget.value)}
        />
        <Button type="submit" variant="default">
          Filter
        </Button>
      </Group>
    </form>
  );
}
