import type { Project } from '#accounts';
import type { JsonObject } from '#base';
import { Type } from 'typebox';
import { encodeTime, orNull, timeShape } from './fields.ts';

export const projectShape = Type.Object({
  object: Type.Literal('project'),
  id: Type.String(),
  organization_id: Type.String(),
  name: Type.String(),
  cache_ttl_seconds: orNull(Type.Integer(), 'How long answers are kept for replay; null: not at all.'),
  created_at: timeShape,
});

export function encodeProject({ id, organizationId, name, cacheTtlSeconds, createdAt }: Project): JsonObject {
  return {
    object: 'project',
    id,
    organization_id: organizationId,
    name,
    cache_ttl_seconds: cacheTtlSeconds ?? null,
    created_at: encodeTime(createdAt),
  };
}
