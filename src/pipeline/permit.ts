import type { AccessRefusal, Caller, RoledAct } from '#accounts';
import type { Catalogue, Mapping, Operation } from '#catalogue';
import type { LiveSettings, Ports } from './ports.ts';
import type { Trip } from './trip.ts';
import { decideAccess, describeRefusal, findNetworkRefusal, isRoleAllowed, listRolesFor } from '#accounts';
import { GatewayError } from '#errors';
import { resolve } from './resolve.ts';

const ACTS: Record<RoledAct, string> = { call: 'call models', mint: 'make session tokens' };

/** Throws where the caller may not call models at all, or not from where it is. */
export function permitCaller(trip: Trip): void {
  const caller = trip.get('caller');
  permitRole(caller, 'call');
  permitAddress(caller, trip.arrival.clientAddress);
}

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

/** The mappings that may do what was asked for and that the caller's rules leave; throws where that is none. */
export function permitMappings(
  ports: Pick<Ports, 'live' | 'clock'>,
  trip: Trip,
  operation: Operation = 'generations',
): readonly Mapping[] {
  const caller = trip.get('caller');
  const name = trip.asked?.model ?? '';
  const mappings = resolve(ports, { caller, name, operation });
  const { rules } = caller;
  if (!rules) return mappings;
  const { clientAddress } = trip.arrival;
  const catalogue = getCatalogue(ports.live(caller), mappings);
  const decision = decideAccess(rules, { mappings, catalogue, clientAddress });
  if ('allowed' in decision) return decision.allowed;
  const { refusal } = decision;
  const model = JSON.stringify(name.slice(0, 200));
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
