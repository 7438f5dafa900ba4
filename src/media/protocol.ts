import type { FormatId } from '#canonical';
import type { Mapping, MediaOperation, OperationPlace, ProtocolId, Provider } from '#catalogue';

/** The default media protocol of each format. */
const USUAL: Record<FormatId, ProtocolId> = {
  chat: 'openai',
  converse: 'openai',
  gemini: 'google',
  messages: 'openai',
  responses: 'openai',
};

/** The protocol of an operation at a mapping, and its base path at the origin. */
export function findPlace(
  mapping: Mapping,
  operation: MediaOperation,
  provider: Pick<Provider, 'media'> | undefined,
): OperationPlace & { protocol: ProtocolId } {
  const place = provider?.media?.[operation];
  return { ...place, protocol: mapping.protocol ?? place?.protocol ?? USUAL[mapping.format] };
}
