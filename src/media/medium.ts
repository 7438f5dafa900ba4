import type { Mapping, MediaOperation, ProtocolId } from '#catalogue';
import type { MediaExchange, MediaTask } from './contract.ts';
import { createParamError } from '#errors';

/** One opener per protocol; absent protocols are not supported. */
type Openers<Request> = Partial<Record<ProtocolId, (request: Request, mapping: Mapping) => MediaExchange>>;

/** Opens exchanges of a request in the mapping's protocol. */
export function createOpener<Request>(
  operation: MediaOperation,
  request: Request,
  openers: Openers<Request>,
): MediaTask['openExchange'] {
  return (mapping, protocol) => {
    const open = openers[protocol];
    if (open) return open(request, mapping);
    const complaint = `${operation} of ${mapping.providerId} is not supported by this gateway`;
    throw createParamError('model', complaint, 'unsupported_feature');
  };
}
