import type { Mapping, MediaOperation, OperationPlace, ProtocolId, Provider } from '#catalogue';
import { FORMAT_DEFAULTS } from '#catalogue';

/** The protocol of an operation at a mapping, and its base path at the origin. */
export function findPlace(
  mapping: Mapping,
  operation: MediaOperation,
  provider: Pick<Provider, 'media'> | undefined,
): OperationPlace & { protocol: ProtocolId } {
  const place = provider?.media?.[operation];
  return { ...place, protocol: mapping.protocol ?? place?.protocol ?? FORMAT_DEFAULTS[mapping.format].media };
}
