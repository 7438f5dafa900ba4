import type { SessionToken } from '#accounts';
import type { JsonObject } from '#base';
import { Type } from 'typebox';
import { formatUsd } from '#base';
import { encodeTime, orNull, timeShape, usdShape } from './fields.ts';

export const sessionTokenShape = Type.Object({
  object: Type.Literal('session_token'),
  id: Type.String(),
  key_id: Type.String(),
  organization_id: Type.String(),
  project_id: Type.String(),
  masked: Type.String({ description: '`slcses_…abcd`' }),
  budget: usdShape,
  usage: usdShape,
  models: orNull(Type.Array(Type.String())),
  user: orNull(Type.String()),
  created_at: timeShape,
  expires_at: timeShape,
  revoked_at: orNull(timeShape),
});

export function encodeSessionToken(token: SessionToken): JsonObject {
  return {
    object: 'session_token',
    id: token.id,
    key_id: token.keyId,
    organization_id: token.organizationId,
    project_id: token.projectId,
    masked: token.masked,
    budget: formatUsd(token.budget),
    usage: formatUsd(token.usage),
    models: token.models ?? null,
    user: token.endUserId ?? null,
    created_at: encodeTime(token.createdAt),
    expires_at: encodeTime(token.expiresAt),
    revoked_at: token.revokedAt === undefined ? null : encodeTime(token.revokedAt),
  };
}
