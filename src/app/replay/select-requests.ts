import { type LogFilter, type LogRow, type Tenant, toTenants } from '#logs';
import type { Stores } from '../lifecycle/stores/stores.ts';
import type { UnsentRequest } from './report.ts';
import type { PermittedProviders } from './permitted-providers.ts';
import { findReplayObstacle, readKeptRequest } from './read-kept-request.ts';

/** Which requests are replayed: named ones, or the newest of a filter. */
export interface ReplaySelection {
  requestIds: readonly string[];
  filter: Omit<LogFilter, 'before' | 'limit'> & Partial<Tenant>;
  /** The most that are sent. */
  most: number;
}

/** A request that can be replayed. Its body is read again when it is sent, so that not all are in memory. */
export interface ReplayCandidate {
  row: LogRow;
  providerIds: readonly string[];
}

export interface RequestSelection {
  /** The oldest first. */
  candidates: ReplayCandidate[];
  skipped: UnsentRequest[];
  isPartial: boolean;
}

interface SelectPorts {
  stores: Pick<Stores, 'logs' | 'payloads'>;
  permitted: PermittedProviders;
  replayOrganizationId: string | undefined;
}

const PAGE = 200;
const MOST_ROWS = 10_000;

/** Reads the log until there are enough requests that can be replayed. */
export async function selectRequests(
  ports: SelectPorts,
  selection: ReplaySelection,
): Promise<RequestSelection> {
  const selected: RequestSelection = { candidates: [], skipped: [], isPartial: false };
  let seen = 0;
  for await (const row of listRows(ports.stores, selection)) {
    if (selected.candidates.length === selection.most || seen === MOST_ROWS) {
      selected.isPartial = true;
      break;
    }
    seen += 1;
    const candidate = await toCandidate(ports, row);
    if ('reason' in candidate) selected.skipped.push({ requestId: row.requestId, reason: candidate.reason });
    else selected.candidates.push(candidate);
  }
  selected.candidates.sort((a, b) => a.row.startedAt - b.row.startedAt);
  return selected;
}

async function* listRows(
  { logs }: Pick<Stores, 'logs'>,
  { requestIds, filter }: ReplaySelection,
): AsyncGenerator<LogRow> {
  for (const requestId of requestIds) {
    const row = await logs.find(requestId, 'all');
    if (!row)
      throw new Error(`there is no row for the request ${requestId} (npx sluice logs shows what there is)`);
    yield row;
  }
  let page: LogRow[] = [];
  while (requestIds.length === 0) {
    const last = page.at(-1);
    const before = last && { startedAt: last.startedAt, requestId: last.requestId };
    page = await logs.list({ ...filter, limit: PAGE, ...(before && { before }) }, toTenants(filter));
    yield* page;
    if (page.length < PAGE) break;
  }
}

async function toCandidate(
  { stores, permitted, replayOrganizationId }: SelectPorts,
  row: LogRow,
): Promise<ReplayCandidate | { reason: string }> {
  const obstacle = findReplayObstacle(row, replayOrganizationId);
  if (obstacle !== undefined) return { reason: obstacle };
  const kept = readKeptRequest(row, await stores.payloads.find(row.requestId, row));
  if ('reason' in kept) return kept;
  const providerIds = await permitted.list(row, kept.rules);
  if (providerIds.length === 0) return { reason: 'access rules allow no provider of the model' };
  return { row, providerIds };
}
