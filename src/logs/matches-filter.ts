import type { FollowFilter } from './log-filter.ts';
import type { LogRow } from './log-row.ts';

const SAME = [
  'organizationId',
  'projectId',
  'keyId',
  'finishReason',
  'errorCode',
  'providerId',
  'sessionId',
  'sessionTokenId',
  'memberId',
  'agentId',
  'parentAgentId',
  'runId',
  'turnId',
  'clientName',
  'endUserId',
] as const;

/** Whether a list with this filter has the row. */
export function matchesFilter(row: LogRow, filter: FollowFilter): boolean {
  const { model, userAgent, tag, search } = filter;
  return (
    SAME.every((name) => filter[name] === undefined || row[name] === filter[name]) &&
    (model === undefined || row.modelId === model || row.requestedModel === model) &&
    (userAgent === undefined || row.userAgent?.startsWith(userAgent) === true) &&
    (tag === undefined || hasTag(row, tag)) &&
    (search === undefined || hasText(row, search))
  );
}

function hasTag({ tags = {} }: LogRow, tag: string): boolean {
  const at = tag.indexOf('=');
  if (at === -1) return Object.hasOwn(tags, tag.trim());
  return tags[tag.slice(0, at).trim()] === tag.slice(at + 1).trim();
}

function hasText(row: LogRow, search: string): boolean {
  const wanted = search.trim().toLowerCase();
  const texts = [row.errorMessage, row.userAgent, row.requestedModel, row.clientRequestId, row.upstreamId];
  return texts.some((text) => text?.toLowerCase().includes(wanted) === true);
}
