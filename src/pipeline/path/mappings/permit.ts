import type { AccessRefusal, AccessRule, Caller, RoledAct } from '#accounts';
import type { Mapping, Operation } from '#catalogue';
import type { Ports } from '../../request/ports.ts';
import type { Trip } from '../../request/trip.ts';
import {
  decideAccess,
  describeRefusal,
  describeUnevaluated,
  findModelRule,
  findNetworkRefusal,
  isRoleAllowed,
  listRolesFor,
} from '#accounts';
import { type ErrorCode, GatewayError, toGatewayError } from '#errors';
import { quote } from '#catalogue';
import { findStrategy } from '../../request/options/get-model.ts';
import { withStrategy } from '../../request/options/preferences.ts';
import { listUnsupported } from '../../request/options/required-parameters.ts';
import { type MappedModel, mapOtherModels, getCatalogueOf } from '../../price/mapped-models.ts';
import { describeNamedProviders, findNamingMember, withoutNames } from './describe-named-providers.ts';
import { resolve } from './resolve.ts';

const ACTS: Record<RoledAct, string> = { call: 'call models', mint: 'create session tokens' };

/** Why a model that exists may not serve a request; another one that the request names may. */
const UNSERVED: ReadonlySet<ErrorCode> = new Set([
  'model_not_allowed',
  'model_deactivated',
  'provider_not_configured',
  'unpriced_model',
]);

type LivePorts = Pick<Ports, 'live' | 'clock'>;

/** Throws if the caller may not call models, or not from its address; its body, to be read next, is its organization's. */
export function permitCaller(trip: Trip): void {
  const caller = trip.get('caller');
  trip.arrival.tenant = caller.organizationId;
  permitRole(caller, 'call');
  permitAddress(caller, trip.arrival.clientAddress);
}

/** Throws if the role of the key's member does not permit an act. */
export function permitRole(caller: Caller, act: RoledAct): void {
  if (isRoleAllowed(caller, act)) return;
  throw new GatewayError(
    'role_not_allowed',
    `the key belongs to a member with the role ${caller.role}, who may not ${ACTS[act]}; that requires the role ${listRolesFor(act).join(' or ')}`,
  );
}

/** Throws if the caller's rules do not allow its address. */
export function permitAddress({ rules }: Caller, clientAddress: string | undefined): void {
  const refusal = rules && findNetworkRefusal(rules, clientAddress);
  if (refusal) throw toAddressError(refusal, clientAddress);
}

/**
 * The mappings that can serve the request and that the caller's rules and the request itself allow, those of the
 * requested model first; throws if there is none.
 */
export function permitMappings(
  ports: LivePorts,
  trip: Trip,
  operation: Operation = 'generations',
): readonly Mapping[] {
  const name = trip.asked?.model ?? '';
  const { preferences } = trip.facts;
  if (!preferences) return permitRequested(ports, trip, { name, operation });
  const places = [{ name, param: 'model' }, ...preferences.models];
  const mappings: Mapping[] = [];
  let refusal: GatewayError | undefined;
  for (const { name: wanted, param } of places) {
    try {
      const permit = param === 'model' ? permitRequested : permitModel;
      mappings.push(...narrow(ports, trip, permit(ports, trip, { name: wanted, operation })));
    } catch (thrown) {
      const error = toGatewayError(thrown);
      if (!UNSERVED.has(error.code)) throw param === 'model' ? error : atParam(error, param);
      refusal ??= error;
    }
  }
  if (mappings.length === 0 && refusal) throw refusal;
  if (operation === 'generations')
    for (const model of preferences.fallbackModels)
      mappings.push(...permitElsewhere(ports, trip, { name: model, operation }));
  return [...new Set(mappings)];
}

/** The mappings of the model that the request names first. */
function permitRequested(ports: LivePorts, trip: Trip, wanted: RequestedModel): readonly Mapping[] {
  const mappings = permitModel(ports, trip, wanted);
  const { caller, preferences } = trip.facts;
  const strategy = findStrategy(ports.live(caller), wanted.name, ports.clock.now());
  if (strategy) trip.set({ preferences: withStrategy(preferences, strategy) });
  const [first] = mappings;
  if (first) trip.set({ requestedModelId: first.modelId });
  return mappings;
}

/** The mappings of a model that the request did not name; none in place of an error. */
export function permitElsewhere(ports: LivePorts, trip: Trip, wanted: RequestedModel): readonly Mapping[] {
  try {
    return narrow(ports, trip, permitModel(ports, trip, wanted));
  } catch (thrown) {
    if (thrown instanceof GatewayError) return [];
    throw thrown;
  }
}

function atParam(error: GatewayError, param: string): GatewayError {
  return new GatewayError(error.code, error.message, { ...error.facts, param });
}

interface RequestedModel {
  name: string;
  operation: Operation;
}

function permitModel(ports: LivePorts, trip: Trip, { name, operation }: RequestedModel): readonly Mapping[] {
  const caller = trip.get('caller');
  const mappings = resolve(ports, { caller, name, operation });
  const { rules } = caller;
  if (!rules) return mappings;
  const allowed = applyRules(ports, trip, { rules, mappings, name });
  return permitReached(ports, trip, { rules, mappings: allowed });
}

/** Applies the request's own preferences about its providers. */
function narrow(ports: LivePorts, trip: Trip, mappings: readonly Mapping[]): readonly Mapping[] {
  const { rules = [], requiresParameters } = trip.facts.preferences ?? {};
  const name = mappings[0]?.modelId ?? '';
  const allowed = rules.length === 0 ? mappings : applyRules(ports, trip, { rules, mappings, name });
  return requiresParameters ? selectAble(trip, allowed) : allowed;
}

/** The mappings that support every parameter of the request; throws if there is none. */
function selectAble(trip: Trip, mappings: readonly Mapping[]): readonly Mapping[] {
  const { request } = trip.facts;
  const missing = mappings.map((mapping) => (request ? listUnsupported(request, mapping) : []));
  const able = mappings.filter((_mapping, at) => missing[at]?.length === 0);
  if (able.length > 0 || !missing[0]) return able;
  throw new GatewayError('model_not_allowed', describeUnsupported(mappings[0]?.modelId ?? '', missing), {
    param: 'provider.require_parameters',
  });
}

/** Names the parameters that the best of them lacks. */
function describeUnsupported(name: string, missing: readonly string[][]): string {
  const least = missing.reduce((best, one) => (one.length < best.length ? one : best));
  return `the request itself excludes every provider of model ${quote(name)} (require_parameters): none supports ${least.join(', ')}`;
}

interface Ruled {
  rules: readonly AccessRule[];
  mappings: readonly Mapping[];
  name: string;
}

function applyRules(
  ports: Pick<Ports, 'live'>,
  { arrival: { clientAddress }, facts: { caller } }: Trip,
  { rules, mappings, name }: Ruled,
): readonly Mapping[] {
  const [first] = mappings;
  if (!first) return mappings;
  const live = ports.live(caller);
  const catalogue = getCatalogueOf(live, first);
  const decision = decideAccess(rules, { mappings, catalogue, clientAddress });
  if ('allowed' in decision) return decision.allowed;
  const { refusal } = decision;
  const message = describeRefusal(refusal, `model ${quote(name)}`);
  const param = findNamingMember(refusal);
  if (param === undefined) throw new GatewayError('model_not_allowed', message, { param: 'model' });
  const others = decideAccess(withoutNames(rules), { mappings, catalogue, clientAddress });
  const usable = 'allowed' in others ? others.allowed : [];
  const details = describeNamedProviders(refusal, { live, mappings: usable });
  throw new GatewayError('model_not_allowed', `${message} (${details})`, { param });
}

/** The allowed mappings at which every other model that the request names is allowed too. */
function permitReached(
  ports: LivePorts,
  trip: Trip,
  { rules, mappings }: Omit<Ruled, 'name'>,
): readonly Mapping[] {
  const { request, caller } = trip.facts;
  if (!request?.otherModels) return mappings;
  const live = ports.live(caller);
  const asked = { request, now: ports.clock.now() };
  const { clientAddress } = trip.arrival;
  let refusal: GatewayError | undefined;
  const left = mappings.filter((mapping) => {
    const catalogue = getCatalogueOf(live, mapping);
    for (const reached of mapOtherModels(live, asked, mapping)) {
      const refused = reached.mapping
        ? decideAccess(rules, { mappings: [reached.mapping], catalogue, clientAddress })
        : { refusal: findModelRule(rules) };
      if (!('refusal' in refused) || !refused.refusal) continue;
      refusal ??= toReachedError(refused.refusal, reached);
      return false;
    }
    return true;
  });
  if (left.length === 0 && refusal) throw refusal;
  return left;
}

function toReachedError(refusal: AccessRefusal, { name, path, mapping }: MappedModel): GatewayError {
  const what = `model ${quote(name)} in ${path}`;
  const message = mapping ? describeRefusal(refusal, what) : describeUnevaluated(refusal, what);
  return new GatewayError('model_not_allowed', message, { param: path });
}

/** Only the operator sees the address: behind a proxy it is the proxy's. */
function toAddressError(refusal: AccessRefusal, clientAddress = 'unknown'): GatewayError {
  const detail = `called from ${clientAddress}`;
  return new GatewayError('network_not_allowed', describeRefusal(refusal, 'calls from this address'), {
    detail,
  });
}
