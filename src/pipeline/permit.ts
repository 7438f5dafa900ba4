import type { AccessRefusal, Caller } from '#accounts';
import type { Mapping } from '#catalogue';
import type { Ports } from './ports.ts';
import type { Trip } from './trip.ts';
import { decideAccess, describeRefusal, findNetworkRefusal } from '#accounts';
import { GatewayError } from '#errors';

/** Throws where the caller's rules do not allow calls from its address. */
export function permitAddress({ rules }: Caller, clientAddress: string | undefined): void {
  const refusal = rules && findNetworkRefusal(rules, clientAddress);
  if (refusal) throw toAddressError(refusal, clientAddress);
}

/** The mappings that the caller's rules leave; throws where that is none. */
export function permitMappings(
  ports: Pick<Ports, 'live'>,
  trip: Trip,
  mappings: readonly Mapping[],
): readonly Mapping[] {
  const { rules } = trip.get('caller');
  if (!rules) return mappings;
  const { clientAddress } = trip.arrival;
  const decision = decideAccess(rules, { mappings, catalogue: ports.live().catalogue, clientAddress });
  if ('allowed' in decision) return decision.allowed;
  const { refusal } = decision;
  const model = JSON.stringify(trip.asked?.model.slice(0, 200));
  throw new GatewayError('model_not_allowed', describeRefusal(refusal, `model ${model}`), { param: 'model' });
}

/** The address itself is for the operator: behind a proxy it is the proxy's. */
function toAddressError(refusal: AccessRefusal, clientAddress = 'unknown'): GatewayError {
  const detail = `called from ${clientAddress}`;
  return new GatewayError('network_not_allowed', describeRefusal(refusal, 'calls from this address'), {
    detail,
  });
}
