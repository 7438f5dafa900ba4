/** Prices by kind, such as a size, by the unit that each charges. */
const KIND_PRICES = { perImage: 'image', perSecond: 'video-second' } as const;

/** Prices of a single amount: USD per search of a reranker, per character of speech input, per hour of audio input. */
const FLAT_PRICES = {
  perSearch: 'search',
  perCharacter: 'character',
  inputAudioHour: 'input-audio-ms',
} as const;

export type KindPrice = keyof typeof KIND_PRICES;

export type FlatPrice = keyof typeof FLAT_PRICES;

/** Units counted besides tokens. Audio and tool time are counted in milliseconds, everything else in whole units. */
export type Unit =
  | (typeof KIND_PRICES)[KindPrice]
  | (typeof FLAT_PRICES)[FlatPrice]
  /** A use or the time of a tool that runs at the provider. */
  | 'tool'
  | 'tool-ms';

/** As bills name them. */
const NAMES: Readonly<Record<Unit, string>> = {
  image: 'image',
  'video-second': 'video second',
  search: 'search',
  character: 'character',
  'input-audio-ms': 'millisecond of audio',
  tool: 'hosted tool',
  'tool-ms': 'millisecond of hosted tool',
};

export const nameUnit = (unit: Unit): string => NAMES[unit];

export const KIND_PRICE_NAMES = Object.keys(KIND_PRICES) as KindPrice[];

export const FLAT_PRICE_NAMES = Object.keys(FLAT_PRICES) as FlatPrice[];

/** A record with a value for each price that is written for units. */
export function mapUnitPrices<ByKind, Flat>(
  ofKinds: (name: KindPrice) => ByKind,
  ofOne: (name: FlatPrice) => Flat,
): Record<KindPrice, ByKind> & Record<FlatPrice, Flat> {
  return Object.fromEntries([
    ...KIND_PRICE_NAMES.map((name) => [name, ofKinds(name)] as const),
    ...FLAT_PRICE_NAMES.map((name) => [name, ofOne(name)] as const),
  ]) as Record<KindPrice, ByKind> & Record<FlatPrice, Flat>;
}

/** The price that charges a unit; a tool has none of its own. */
export const findKindPrice = (unit: Unit): KindPrice | undefined =>
  KIND_PRICE_NAMES.find((name) => KIND_PRICES[name] === unit);

export const findFlatPrice = (unit: Unit): FlatPrice | undefined =>
  FLAT_PRICE_NAMES.find((name) => FLAT_PRICES[name] === unit);
