import { writePrice } from '../parts/format.ts';
import type { Offer } from './catalogue.ts';
import { Price } from './price.tsx';

type Pricing = Offer['pricing'];
type TokenPart = 'image' | 'input_audio' | 'output_audio' | 'input_cache_write_1h';
/** Shown with the model itself. */
type Usual = 'prompt' | 'completion' | 'input_cache_read' | 'input_cache_write' | 'input_audio_cache_read';
type Unit = Exclude<keyof Pricing, Usual | TokenPart | keyof typeof KINDS>;

/** Each beside the usual price of its kind. */
const PARTS: Readonly<
  Record<TokenPart, { name: string; usual: 'prompt' | 'completion' | 'input_cache_write' }>
> = {
  input_cache_write_1h: { name: 'written for an hour', usual: 'input_cache_write' },
  image: { name: 'images read', usual: 'prompt' },
  input_audio: { name: 'audio read', usual: 'prompt' },
  output_audio: { name: 'audio written', usual: 'completion' },
};
const UNITS: Readonly<Record<Unit, string>> = {
  request: 'per request',
  ocr_page: 'per page',
  input_audio_hour: 'per hour of audio',
  input_character: 'per character read',
};
const KINDS = { per_second: 'per second', per_image: 'per image' } as const;

const isAsked = (price: string): boolean => Number(price) > 0;
const keysOf = <Key extends string>(names: Readonly<Record<Key, unknown>>): Key[] =>
  Object.keys(names) as Key[];

/** Prices of what only some models read or make, where it differs: those of tokens per million, others each. */
function listPrices(pricing: Pricing) {
  const parts = keysOf(PARTS)
    .filter((part) => pricing[part] !== pricing[PARTS[part].usual])
    .map((part) => ({ name: PARTS[part].name, price: pricing[part], isOfTokens: true }));
  const units = keysOf(UNITS).map((unit) => ({ name: UNITS[unit], price: pricing[unit], isOfTokens: false }));
  const kinds = keysOf(KINDS).flatMap((unit) =>
    Object.entries(pricing[unit]).map(([kind, price]) => ({
      name: kind === 'default' ? KINDS[unit] : `${KINDS[unit]}, ${kind}`,
      price,
      isOfTokens: false,
    })),
  );
  return [...parts, ...units, ...kinds].filter(({ price }) => isAsked(price));
}

export const hasUnitPrices = ({ pricing }: Offer): boolean => listPrices(pricing).length > 0;

/** One a line. */
export function UnitPrices({ of }: { of: Pricing }) {
  return listPrices(of).map(({ name, price, isOfTokens }) => (
    <div key={name}>
      {isOfTokens ? <Price of={price} /> : writePrice(price)} {name}
    </div>
  ));
}
