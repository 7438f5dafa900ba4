import type { Mapping, MediaOperation, ProtocolId } from '#catalogue';
import type { MediaExchange, MediaTask } from './contract.ts';
import { GatewayError } from '#errors';

/** One way per protocol to ask for something; those that are absent cannot be asked. */
type Openers<Request> = Partial<Record<ProtocolId, (request: Request, mapping: Mapping) => MediaExchange>>;

/** Opens exchanges of one request in whatever protocol a mapping wants. */
export function createOpener<Request>(
  operation: MediaOperation,
  request: Request,
  openers: Openers<Request>,
): MediaTask['openExchange'] {
  return (mapping, protocol) => {
    const open = openers[protocol];
    if (open) return open(request, mapping);
    throw new GatewayError(
      'unsupported_feature',
      `model: ${operation} of ${mapping.providerId} cannot be asked for through this gateway`,
      { param: 'model' },
    );
  };
}
