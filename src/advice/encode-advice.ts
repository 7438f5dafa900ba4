import { type JsonObject, encodeMembers } from '#base';
import type { Saving } from './advise.ts';
import type { ProjectWaste } from './waste/find-waste.ts';
import { type AdviceFinding, describeFinding, isWaste } from './ask-advice.ts';

/** Findings as JSON. */
export function encodeAdvice(findings: readonly AdviceFinding[]): JsonObject {
  return { object: 'list', data: findings.map(encodeFinding) };
}

function encodeFinding(finding: AdviceFinding): JsonObject {
  return {
    object: 'finding',
    kind: finding.kind,
    ...(isWaste(finding) ? encodeWaste(finding) : encodeSaving(finding)),
    text: describeFinding(finding),
    ...encodeMembers(finding, ['requests', 'saved', 'requestIds']),
  };
}

const encodeSaving = (saving: Saving): JsonObject => ({
  ...encodeMembers(saving, ['modelId', 'providerId']),
  ...(saving.kind === 'cheaper_provider'
    ? { other_provider_id: saving.detail }
    : { above_input_tokens: Number(saving.detail) }),
});

const encodeWaste = (waste: ProjectWaste): JsonObject => ({
  ...encodeMembers(waste, ['organizationId', 'projectId', 'sessionId']),
  ...waste.facts,
});
