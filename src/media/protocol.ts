import type { FormatId } from '#canonical';
import type { Mapping, MediaOperation, OperationPlace, ProtocolId, Provider } from '#catalogue';

/** How providers of a format are asked for a medium, unless the catalogue says otherwise. */
const USUAL: Record<FormatId, ProtocolId> = {
  chat: 'openai',
  converse: 'openai',
  gemini: 'google',
  messages: 'openai',
  responses: 'openai',
};

/** How, and below which path of its origin, a mapping is asked for an operation. */
export function findPlace(
  mapping: Mapping,
  operation: MediaOperation,
  provider: Pick<Provider, 'media'> | undefined,
): OperationPlace & { protocol: ProtocolId } {
  const place = provider?.media?.[operation];
  return { ...place, protocol: mapping.protocol ?? place?.protocol ?? USUAL[mapping.format] };
}
