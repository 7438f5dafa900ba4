import type { JsonObject } from '#base';
import { encodeMembers, formatUsd } from '#base';
import type { ExcludedRequests, WhatIf, WhatIfLine, WhatIfSource } from './what-if.ts';

export function encodeWhatIf({ lines, sources, assumptions }: WhatIf): JsonObject {
  return {
    object: 'what_if',
    data: lines.map(encodeLine),
    sources: sources.map(encodeSource),
    assumptions: [...assumptions],
  };
}

const encodeLine = (line: WhatIfLine): JsonObject => ({
  object: 'what_if_line',
  ...encodeEstimate(line),
  left_out: line.leftOut.map(encodeLeftOut),
});

/** The line of one provider, in JSON of any kind. */
export const encodeEstimate = (line: WhatIfLine): JsonObject => ({
  ...encodeMembers(line, ['modelId', 'providerId', 'requests', 'cost']),
  actual_cost: formatUsd(line.actual),
});

const encodeLeftOut = ({ reason, requests, actual }: ExcludedRequests): JsonObject => ({
  reason,
  requests,
  actual_cost: formatUsd(actual),
});

const encodeSource = ({ modelId, providerId, requests, actual }: WhatIfSource): JsonObject => ({
  model_id: modelId === '' ? null : modelId,
  provider_id: providerId === '' ? null : providerId,
  requests,
  actual_cost: formatUsd(actual),
});
