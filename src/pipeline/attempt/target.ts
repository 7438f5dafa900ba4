import type { SetMarks, Target } from '#canonical';
import type { Mapping } from '#catalogue';

/** The part of a mapping a wire format works with. */
export function toTarget(mapping: Mapping, marks?: SetMarks): Target {
  const { providerId, externalId, dialect, maxOutput, reasoning } = mapping;
  return {
    providerId,
    externalId,
    dialect,
    reasoning,
    ...(maxOutput !== undefined && { maxOutput }),
    ...(marks && { marks }),
  };
}
