import type { AddressRules } from '#base';
import type { ConfiguredPrice, CustomFormat, Price } from '#catalogue';
import type { CustomModel, ByokTerms } from './byok.ts';
import { parseOutsideUrl, resolvePublicly, reasonOf } from '#base';
import { CUSTOM_FORMATS, parsePrice, resolveModel } from '#catalogue';
import { GatewayError, createInvalid } from '#errors';

const SHORTEST_KEY = 8;
const LONGEST_KEY = 4_096;
const MOST_TOKENS = 100_000_000;
/** How much of a key is shown, and the minimum length for that. */
const SHOWN = 4;
const SHOWN_FROM = 20;

/** A provider's key as it may be sent in a header. */
export function readProviderKey(text: string): string {
  const key = text.trim();
  const isSound = key.length >= SHORTEST_KEY && key.length <= LONGEST_KEY && /^[\x21-\x7e]+$/.test(key);
  if (!isSound)
    throw createInvalid(
      'apiKey',
      `${SHORTEST_KEY} to ${LONGEST_KEY} visible ASCII characters without spaces`,
    );
  return key;
}

/** `…abcd` */
export function maskProviderKey(key: string): string {
  return key.length < SHOWN_FROM ? '…' : `…${key.slice(-SHOWN)}`;
}

/** The origin of a catalogue provider, to which keys for it are bound. */
export function readOrigin(providerId: string, { catalogue }: ByokTerms): string {
  const provider = catalogue.providers.get(providerId);
  if (!provider)
    throw createInvalid('provider', 'a provider of this gateway (npx sluice providers list --all)');
  const url = provider.cloud === undefined ? URL.parse(provider.baseUrl ?? '') : undefined;
  if (url && !provider.baseUrl?.includes('${')) return url.origin;
  throw createInvalid(
    'provider',
    `one that is called with nothing but a key; ${providerId} is set up by the operator, or added as a custom provider`,
  );
}

export function readCustomFormat(text: string): CustomFormat {
  const format = CUSTOM_FORMATS.find((one) => one === text);
  if (!format) throw createInvalid('format', `one of ${CUSTOM_FORMATS.join(', ')}`);
  return format;
}

export function readCustomName(text: string, { catalogue }: ByokTerms): string {
  if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(text))
    throw createInvalid('name', '1 to 100 lower-case letters, digits, dots, dashes and underscores');
  if (catalogue.providers.has(text))
    throw createInvalid('name', `a name that no provider of this gateway has, unlike "${text}"`);
  return text;
}

/** A base URL without a final slash. Its host is resolved now, and again at each connection. */
export async function readBaseUrl(text: string, rules: AddressRules): Promise<string> {
  const read = parseOutsideUrl(text, rules);
  if ('expected' in read) throw createInvalid('baseUrl', read.expected);
  const { url, isTrusted } = read;
  const isName = /[a-z]/.test(url.hostname) && !url.hostname.startsWith('[');
  if (!isTrusted && isName) {
    await resolvePublicly(url.hostname, rules.resolveHost).catch(() => {
      throw createInvalid('baseUrl', 'an address whose host DNS knows, with public addresses only');
    });
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** The input for a custom model. */
export type NewCustomModel = Omit<CustomModel, 'externalId'> & { externalId?: string };

/** A model with its price as stored, to be called as `provider/model`. */
export function readCustomModel(
  provider: string,
  model: NewCustomModel,
  terms: ByokTerms,
): CustomModel & { parsedPrice?: Price } {
  const { name, externalId = name, price, contextLength, maxOutput } = model;
  if (!/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,199}$/.test(name))
    throw createInvalid('model', '1 to 200 letters, digits and . _ : / -');
  if (!/^[\x21-\x7e]{1,200}$/.test(externalId))
    throw createInvalid('externalId', '1 to 200 visible ASCII characters without spaces');
  if (resolveModel(terms.catalogue, `${provider}/${name}`, 0).kind !== 'unknown')
    throw createInvalid('model', `a name that no model of this gateway has, unlike "${provider}/${name}"`);
  checkTokens('contextLength', contextLength);
  checkTokens('maxOutput', maxOutput);
  if (price === undefined && !terms.allowUnpriced)
    throw createInvalid('price', 'given: this gateway allows no models without a price');
  return { ...model, externalId, ...(price && { parsedPrice: readPrice(price) }) };
}

function checkTokens(name: string, count: number): void {
  if (!Number.isSafeInteger(count) || count < 1 || count > MOST_TOKENS)
    throw createInvalid(name, `a whole number of tokens from 1 to ${MOST_TOKENS}`);
}

function readPrice(price: ConfiguredPrice): Price {
  try {
    return parsePrice(price);
  } catch (error) {
    throw new GatewayError('invalid_request', reasonOf(error), {
      param: 'price',
    });
  }
}
