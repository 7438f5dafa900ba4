import type { AccessRefusal, Caller, RoledAct } from '#accounts';
import type { Catalogue, Mapping } from '#catalogue';
import type { LiveSettings, Ports } from './ports.ts';
import type { Trip } from './trip.ts';
import { decideAccess, describeRefusal, findNetworkRefusal, isRoleAllowed, listRolesFor } from '#accounts';
import { GatewayError } from '#errors';

const ACTS: Record<RoledAct, string> = { call: 'call models', mint: 'make session tokens' };

/** Throws where the role of the member that a key belongs to does not allow an act. */
export function permitRole(caller: Caller, act: RoledAct): void {
  if (isRoleAllowed(caller, act)) return;
  throw new GatewayError(
    'role_not_allowed',
    `the key belongs to a member with the role ${caller.role}, who may not ${ACTS[act]}; that takes the role ${listRolesFor(act).join(' or ')}`,
  );
}

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
  const caller = trip.get('caller');
  const { rules } = caller;
  if (!rules) return mappings;
  const { clientAddress } = trip.arrival;
  const catalogue = getCatalogue(ports.live(caller), mappings);
  const decision = decideAccess(rules, { mappings, catalogue, clientAddress });
  if ('allowed' in decision) return decision.allowed;
  const { refusal } = decision;
  const model = JSON.stringify(trip.asked?.model.slice(0, 200));
  throw new GatewayError('model_not_allowed', describeRefusal(refusal, `model ${model}`), { param: 'model' });
}

/** The catalogue that mappings of one model stand in. */
function getCatalogue({ catalogue, own }: LiveSettings, [mapping]: readonly Mapping[]): Catalogue {
  return mapping && own?.providers.has(mapping.providerId) === true ? own : catalogue;
}

/** The address itself is for the operator: behind a proxy it is the proxy's. */
function toAddressError(refusal: AccessRefusal, clientAddress = 'unknown'): GatewayError {
  const detail = `called from ${clientAddress}`;
  return new GatewayError('network_not_allowed', describeRefusal(refusal, 'calls from this address'), {
    detail,
  });
}
