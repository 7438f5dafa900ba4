import type { LogLine } from '../api/log-line.ts';
import { describeEnd, listEndCodes } from '../parts/endings.ts';
import { formatCount, formatMoment, formatMs, shortenUsd, writeUsd } from '../parts/format.ts';

/** A column of the list of requests. */
interface Column {
  name: string;
  /** In rem, at least. */
  width: number;
  /** The share of what is left that it takes. */
  grow?: number;
  isFigure?: boolean;
  show(row: LogLine, names: Names): string;
  /** All of it, for pointing at. */
  title?(row: LogLine, names: Names): string;
  /** The id of the record whose name is shown. */
  named?(row: LogLine): string | null;
}

/** Of records by their ids. */
type Names = ReadonlyMap<string, string>;

const tokens = (name: string, count: (row: LogLine) => number): Column => ({
  name,
  width: name.length < 14 ? 7.5 : 9,
  isFigure: true,
  show: (row) => formatCount(count(row)),
});

const text = (name: string, width: number, show: (row: LogLine) => string | null): Column => ({
  name,
  width,
  show: (row) => show(row) || '–',
});

/** The name of a record, and its id for pointing at; the id alone where the name cannot be read. */
const record = (name: string, named: (row: LogLine) => string | null): Column => ({
  name,
  width: 9,
  named,
  show: (row, names) => names.get(named(row) ?? '') ?? named(row) ?? '–',
  title: (row, names) => {
    const [id, found] = [named(row), names.get(named(row) ?? '')];
    return found === undefined ? (id ?? '–') : `${found} (${id})`;
  },
});

const describeTags = ({ tags }: LogLine): string =>
  Object.entries(tags)
    .map(([tag, value]) => `${tag}=${value}`)
    .join(', ');

export const COLUMNS = {
  time: {
    name: 'Started',
    width: 10,
    show: (row) => formatMoment(row.started_at).local,
    title: (row) => formatMoment(row.started_at).utc,
  },
  key: record('Key', (row) => row.key_id),
  model: { ...text('Model', 8, (row) => row.model_id ?? row.requested_model), grow: 2 },
  provider: { ...text('Provider', 6, (row) => row.provider_id), grow: 1 },
  finish: {
    name: 'Ended',
    width: 9,
    grow: 1,
    show: describeEnd,
    title: (row) => `${describeEnd(row)} (${listEndCodes(row)})`,
  },
  status: { name: 'Status', width: 4.5, isFigure: true, show: (row) => String(row.status) },
  error: { ...text('Error', 10, (row) => row.error_message), grow: 2 },
  client: text('Client', 9, (row) =>
    row.client_name === null ? null : `${row.client_name} ${row.client_version ?? ''}`.trim(),
  ),
  session: text('Session', 8, (row) => row.session_id),
  agent: text('Agent', 8, (row) => row.agent_id),
  tags: text('Tags', 10, (row) => describeTags(row) || null),
  user: text('End user', 7, (row) => row.end_user_id),
  member: record('Member', (row) => row.member_id),
  project: record('Project', (row) => row.project_id),
  organization: record('Organization', (row) => row.organization_id),
  endpoint: text('Endpoint', 10, (row) => row.endpoint),
  input: tokens('Input tokens', (row) => row.input_tokens),
  cached: tokens('Cached tokens', (row) => row.cached_tokens),
  written: tokens('Written tokens', (row) => row.cache_write_tokens),
  output: tokens('Output tokens', (row) => row.output_tokens),
  reasoning: tokens('Reasoning tokens', (row) => row.reasoning_tokens),
  cost: {
    name: 'Cost',
    width: 7,
    isFigure: true,
    show: (row) => shortenUsd(row.cost),
    title: (row) => writeUsd(row.cost),
  },
  provider_cost: {
    name: 'Provider cost',
    width: 7,
    isFigure: true,
    show: ({ provider_cost: cost }) => (cost === undefined ? '–' : shortenUsd(cost)),
    title: ({ provider_cost: cost }) => (cost === undefined ? '–' : writeUsd(cost)),
  },
  first: {
    name: 'First token',
    width: 6,
    isFigure: true,
    show: (row) => (row.first_event_ms === null ? '–' : formatMs(row.first_event_ms)),
  },
  duration: {
    name: 'Took',
    width: 5,
    isFigure: true,
    show: (row) => formatMs(row.duration_ms),
  },
} as const satisfies Readonly<Record<string, Column>>;

export type ColumnId = keyof typeof COLUMNS;

const IDS = Object.keys(COLUMNS) as ColumnId[];
const USUAL_COLUMNS: readonly ColumnId[] = [
  ...(['time', 'key', 'model', 'provider', 'finish', 'input', 'output', 'cost', 'duration'] as const),
];

/** In this order they make room for what a request cost. */
const SPARED: readonly ColumnId[] = ['provider', 'key', 'output', 'input'];
/** Between columns, and beside them (`.row`). */
const GAP_REM = 0.75;

/** Known columns in their order; if none is named, the usual ones that fit into so many rem. */
export function readColumns(names: string, room: number): readonly ColumnId[] {
  const chosen = names.split(',');
  const known = IDS.filter((id) => chosen.includes(id));
  if (known.length > 0) return known;
  return SPARED.reduce(
    (shown, spared) => (widthOf(shown) <= room ? shown : shown.filter((id) => id !== spared)),
    USUAL_COLUMNS,
  );
}

/** In rem, at least. */
export const widthOf = (ids: readonly ColumnId[]): number =>
  ids.reduce((sum, id) => sum + getColumn(id).width + GAP_REM, GAP_REM);

export const getColumn = (id: ColumnId): Column => COLUMNS[id];
export const listColumns = (): readonly ColumnId[] => IDS;

/** The ids of the records that columns name. */
export const listNamed = (columns: readonly ColumnId[], rows: readonly LogLine[]): string[] =>
  columns.flatMap((id) => {
    const { named } = getColumn(id);
    return named ? rows.map(named).filter((one) => one !== null) : [];
  });
