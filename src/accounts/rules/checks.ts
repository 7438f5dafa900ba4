import type { Catalogue, Mapping, Model, Price, Provider } from '#catalogue';
import type { PicoUsd } from '#base';
import type { AccessRule, BindingLayer, RuleType } from './rule.ts';
import { parsePricePerMillion, parseUsd } from '#base';
import { supportsOperation, isFree, requestPriceOf } from '#catalogue';
import { createNameCheck } from './name-pattern.ts';
import { type AddressRange, createNetworkCheck, parseNetwork } from './network.ts';
import { BINDING_LAYERS, RULE_TYPES, findRuleType } from './rule.ts';

/** A mapping with the catalogue's facts about its model and provider. */
export class Offer {
  readonly mapping: Mapping;
  readonly provider: Provider | undefined;
  readonly #model: Model | undefined;
  #names: readonly string[] | undefined;

  constructor(mapping: Mapping, catalogue: Catalogue) {
    this.mapping = mapping;
    this.provider = catalogue.providers.get(mapping.providerId);
    this.#model = catalogue.models.get(mapping.modelId);
  }

  /** Every name of the model, in lower case, so that an alias cannot evade a rule. */
  get names(): readonly string[] {
    if (this.#names) return this.#names;
    const { modelId, providerId, externalId } = this.mapping;
    const names = [modelId, ...(this.#model?.aliases ?? [])];
    const pinned = [...names, externalId].map((name) => `${providerId}/${name}`);
    this.#names = [...new Set([...names, ...pinned].map((name) => name.toLowerCase()))];
    return this.#names;
  }
}

/** All rules of one type in one layer, whose values form one set. */
export interface RuleSet {
  layer: BindingLayer;
  type: string;
  values: readonly string[];
  /** Whether it allows an offer; a network check allows all offers. */
  passesOffer(offer: Offer): boolean;
  /** Whether it allows callers from this address; no network check allows an unknown address. */
  passesAddress(address: string | undefined): boolean;
}

type Check = Pick<RuleSet, 'passesOffer' | 'passesAddress'>;
type CreateCheck = (values: readonly string[]) => Check;

const ANY = (): boolean => true;
const NONE: Check = { passesOffer: () => false, passesAddress: ANY };

const byOffer =
  (create: (values: readonly string[]) => (offer: Offer) => boolean): CreateCheck =>
  (values) => ({ passesOffer: create(values), passesAddress: ANY });

const byAddress =
  (isWanted: boolean): CreateCheck =>
  (values) => {
    const networks = values.map(parseNetwork);
    const isIn = createNetworkCheck(
      networks.filter((network): network is AddressRange => network !== undefined),
    );
    const isWhole = networks.every((network) => network !== undefined);
    return {
      passesOffer: ANY,
      passesAddress: (address) => address !== undefined && isWhole && isIn(address) === isWanted,
    };
  };

const mostOf = (amounts: readonly PicoUsd[]): PicoUsd =>
  amounts.reduce((most, amount) => (amount > most ? amount : most), 0n);

/** An offer without a known price is over every ceiling. */
const byPrice = (
  parse: (text: string) => PicoUsd | undefined,
  priceOf: (mapping: Mapping, price: Price) => PicoUsd | undefined,
): CreateCheck =>
  byOffer((values) => {
    const ceilings = values.map(parse);
    return ({ mapping }) => {
      const price = mapping.price && priceOf(mapping, mapping.price);
      return ceilings.every((ceiling) => ceiling !== undefined && price !== undefined && price <= ceiling);
    };
  });

const byTokenPrice = (part: 'inputUncached' | 'outputText'): CreateCheck =>
  byPrice(parsePricePerMillion, (_mapping, price) =>
    mostOf([price, ...price.tiers].map(({ parts }) => parts[part])),
  );

/** The price of an image is unknown for an offer that bills the tokens of its images. */
function imagePriceOf(mapping: Mapping, { units }: Price): PicoUsd | undefined {
  const amounts = Object.values(units?.perImage ?? {});
  return amounts.length === 0 && supportsOperation(mapping, 'images') ? undefined : mostOf(amounts);
}

const byProvider = (isWanted: boolean): CreateCheck =>
  byOffer((values) => {
    const isNamed = createNameCheck(values);
    return ({ mapping }) => isNamed(mapping.providerId.toLowerCase()) === isWanted;
  });

const byModel = (isWanted: boolean): CreateCheck =>
  byOffer((values) => {
    const isNamed = createNameCheck(values);
    return ({ names }) => names.some(isNamed) === isWanted;
  });

/** A provider with unknown facts is never allowed. */
const CHECKS: Record<RuleType, CreateCheck> = {
  'no-training': byOffer(
    () =>
      ({ provider }) =>
        provider?.trainsOnData === false,
  ),
  'zero-retention': byOffer(
    () =>
      ({ provider }) =>
        provider?.zeroRetention === true,
  ),
  regions: byOffer((values) => {
    const allowed = new Set(values);
    return ({ mapping, provider }) => {
      const regions = mapping.region === undefined ? (provider?.regions ?? []) : [mapping.region];
      return regions.length > 0 && regions.every((region) => allowed.has(region));
    };
  }),
  'approved-providers': byProvider(true),
  'allow-networks': byAddress(true),
  'deny-networks': byAddress(false),
  'allow-models': byModel(true),
  'deny-models': byModel(false),
  'allow-providers': byProvider(true),
  'deny-providers': byProvider(false),
  'max-input-price': byTokenPrice('inputUncached'),
  'max-output-price': byTokenPrice('outputText'),
  'max-request-price': byPrice(parseUsd, requestPriceOf),
  'max-image-price': byPrice(parseUsd, imagePriceOf),
  quantizations: byOffer((values) => {
    const allowed = new Set(values);
    return ({ mapping: { quantization = 'unknown' } }) => allowed.has(quantization);
  }),
  'free-only': byOffer(
    () =>
      ({ mapping: { price } }) =>
        price !== undefined && isFree(price),
  ),
  'paid-only': byOffer(
    () =>
      ({ mapping: { price } }) =>
        price !== undefined && !isFree(price),
  ),
};

/** The checks that rules compile to: compliance first, then layer by layer, whatever the order of the rules. */
export function createChecks(rules: readonly AccessRule[]): RuleSet[] {
  const groups = new Map<string, AccessRule & { values: string[] }>();
  for (const { layer, type, values } of rules) {
    const name = `${layer} ${type}`;
    const group = groups.get(name) ?? { layer, type, values: [] };
    groups.set(name, { ...group, values: [...new Set([...group.values, ...values])].sort() });
  }
  return [...groups.values()].sort(compareChecks).map((group) => ({ ...group, ...createCheck(group) }));
}

function createCheck({ type, values }: AccessRule): Check {
  return findRuleType(type) ? CHECKS[type as RuleType](values) : NONE;
}

const ORDER = Object.keys(RULE_TYPES);

function compareChecks(a: AccessRule, b: AccessRule): number {
  return (
    Number(isCompliance(b)) - Number(isCompliance(a)) ||
    BINDING_LAYERS.indexOf(a.layer) - BINDING_LAYERS.indexOf(b.layer) ||
    ORDER.indexOf(a.type) - ORDER.indexOf(b.type) ||
    (a.type < b.type ? -1 : 1)
  );
}

function isCompliance({ type }: AccessRule): boolean {
  return findRuleType(type)?.isCompliance === true;
}
