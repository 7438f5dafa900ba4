import { type JsonObject, formatUsd } from '#base';
import type { Saving } from './advise.ts';
import type { ProjectWaste } from './waste/find-waste.ts';

/** Findings as JSON, what would have saved most first. */
export function encodeAdvice({
  savings,
  wastes,
}: {
  savings: readonly Saving[];
  wastes: readonly ProjectWaste[];
}): JsonObject {
  const findings = [
    ...savings.map((saving) => ({ saved: saving.saved, json: encodeSaving(saving) })),
    ...wastes.map((waste) => ({ saved: waste.saved, json: encodeWaste(waste) })),
  ];
  const sorted = findings.toSorted((a, b) => Number(b.saved - a.saved));
  return { object: 'list', data: sorted.map(({ json }) => json) };
}

const encodeSaving = ({ kind, modelId, providerId, detail, ...rest }: Saving): JsonObject => ({
  object: 'finding',
  kind,
  model_id: modelId,
  provider_id: providerId,
  ...(kind === 'cheaper_provider' ? { other_provider_id: detail } : { above_input_tokens: Number(detail) }),
  ...encodeProof(rest),
});

const encodeWaste = ({ kind, organizationId, projectId, sessionId, ...rest }: ProjectWaste): JsonObject => ({
  object: 'finding',
  kind,
  organization_id: organizationId,
  project_id: projectId,
  session_id: sessionId ?? null,
  text: rest.text,
  ...rest.facts,
  ...encodeProof(rest),
});

const encodeProof = ({ requests, saved, requestIds }: Pick<Saving, 'requests' | 'saved' | 'requestIds'>) => ({
  requests,
  saved: formatUsd(saved),
  request_ids: [...requestIds],
});
