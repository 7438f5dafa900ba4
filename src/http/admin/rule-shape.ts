import type { RuleRecord } from '#accounts';
import type { JsonObject } from '#base';
import { Type } from 'typebox';
import { LAYERS, RULE_TYPES } from '#accounts';
import { encodeTime, timeShape } from './fields.ts';

export const ruleShape = Type.Object({
  object: Type.Literal('rule'),
  id: Type.String(),
  organization_id: Type.String(),
  layer: Type.Enum([...LAYERS]),
  subject_id: Type.String({ description: 'The organization, project or key it is on.' }),
  type: Type.String({ description: `One of ${Object.keys(RULE_TYPES).join(', ')}.` }),
  values: Type.Array(Type.String()),
  created_at: timeShape,
});

export function encodeRule(rule: RuleRecord): JsonObject {
  const { id, organizationId, layer, subjectId, type, values, createdAt } = rule;
  return {
    object: 'rule',
    id,
    organization_id: organizationId,
    layer,
    subject_id: subjectId,
    type,
    values,
    created_at: encodeTime(createdAt),
  };
}
