import type { JsonObject } from '#base';
import { formatUsd } from '#base';
import type { ExcludedRequests, WhatIf, WhatIfLine, WhatIfSource } from './what-if.ts';

export function encodeWhatIf({ lines, sources, assumptions }: WhatIf): JsonObject {
  return {
    object: 'what_if',
    data: lines.map(encodeLine),
    sources: sources.map(encodeSource),
    assumptions: [...assumptions],
  };
}

const encodeLine = ({ modelId, providerId, requests, cost, actual, leftOut }: WhatIfLine): JsonObject => ({
  object: 'what_if_line',
  model_id: modelId,
  provider_id: providerId,
  requests,
  cost: formatUsd(cost),
  actual_cost: formatUsd(actual),
  left_out: leftOut.map(encodeLeftOut),
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
