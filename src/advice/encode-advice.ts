import { type JsonObject, formatUsd } from '#base';
import type { Saving } from './advise.ts';
import type { ProjectWaste } from './waste/find-waste.ts';
import { type AdviceFinding, describeFinding, isWaste } from './ask-advice.ts';

/** Findings as JSON. */
export function encodeAdvice(findings: readonly AdviceFinding[]): JsonObject {
  return { object: 'list', data: findings.map(encodeFinding) };
}

function encodeFinding(finding: AdviceFinding): JsonObject {
  const { kind, requests, saved, requestIds } = finding;
  return {
    object: 'finding',
    kind,
    ...(isWaste(finding) ? encodeWaste(finding) : encodeSaving(finding)),
    text: describeFinding(finding),
    requests,
    saved: formatUsd(saved),
    request_ids: [...requestIds],
  };
}

const encodeSaving = ({ kind, modelId, providerId, detail }: Saving): JsonObject => ({
  model_id: modelId,
  provider_id: providerId,
  ...(kind === 'cheaper_provider' ? { other_provider_id: detail } : { above_input_tokens: Number(detail) }),
});

const encodeWaste = ({ organizationId, projectId, sessionId, facts }: ProjectWaste): JsonObject => ({
  organization_id: organizationId,
  project_id: projectId,
  session_id: sessionId ?? null,
  ...facts,
});
