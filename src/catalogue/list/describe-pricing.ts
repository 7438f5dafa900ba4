import type { Mapping } from '../catalogue.ts';
import type { Operation } from '../schema/file-schema.ts';
import type { MappingEntry, ModelEntry } from './model-entry.ts';
import type { Price } from '../price.ts';
import type { FlatPrice, KindPrice } from '../schema/unit.ts';
import { type PicoUsd, formatUsd } from '#base';
import { type HostedTool, chooseToolKind, findHostedTool } from '../hosted-tool.ts';
import { supportsOperation, operationsOf } from '../operation.ts';
import { describeAmounts } from '../unit-price.ts';

/** Free of charge, or unknown. */
const NOTHING = '0';

/** What shows each price by the unit; a search is part of each request. */
const UNIT_MEMBERS = {
  perImage: 'per_image',
  perSecond: 'per_second',
  perSearch: 'request',
  perCharacter: 'input_character',
  inputAudioHour: 'input_audio_hour',
} as const satisfies Record<KindPrice | FlatPrice, keyof MappingEntry['pricing']>;

/** A mapping's prices as `GET /v1/models` shows them: USD per unit. */
export function describePricing(mapping: Mapping): MappingEntry['pricing'] {
  const { price, dialect } = mapping;
  const operations = operationsOf(mapping);
  const parts = price?.parts;
  const audio = dialect.media.audio || takesAudio(operations) ? parts : undefined;
  const image = operations.includes('images') ? parts?.inputImage : undefined;
  const usd = (amount: bigint | undefined): string => (amount === undefined ? NOTHING : formatUsd(amount));
  return {
    prompt: usd(parts?.inputUncached),
    completion: usd(parts?.outputText),
    image: usd(image),
    input_audio: usd(audio?.inputAudio),
    input_audio_cache_read: usd(audio?.inputCacheRead),
    output_audio: usd(audio?.outputAudio),
    [UNIT_MEMBERS.perSecond]: describeAmounts(price?.units?.perSecond),
    [UNIT_MEMBERS.perImage]: describeAmounts(price?.units?.perImage),
    [UNIT_MEMBERS.perSearch]: usd(price && requestPriceOf(mapping, price)),
    input_cache_read: usd(parts?.inputCacheRead),
    input_cache_write: usd(parts?.inputCacheWrite5m),
    input_cache_write_1h: usd(parts?.inputCacheWrite1h),
    ocr_page: NOTHING,
    [UNIT_MEMBERS.inputAudioHour]: usd(price?.units?.inputAudioHour),
    [UNIT_MEMBERS.perCharacter]: usd(price?.units?.perCharacter),
  };
}

/** The same, with the fields that only a model's entry has. */
export function describeModelPricing(mapping: Mapping): ModelEntry['pricing'] {
  const parts = mapping.price?.parts;
  return {
    ...describePricing(mapping),
    web_search:
      parts && supportsOperation(mapping, 'generations') ? formatUsd(searchPrice(mapping)) : NOTHING,
    internal_reasoning: parts && mapping.reasoning ? formatUsd(parts.outputReasoning) : NOTHING,
  };
}

/** The price per request besides its tokens, including tools that every request uses. */
export function requestPriceOf(
  { hostedTools = [] }: Pick<Mapping, 'hostedTools'>,
  { request, units }: Price,
): PicoUsd {
  const always = hostedTools.filter((tool) => tool.always);
  return always.reduce((sum, tool) => sum + priceOf(tool), request + (units?.perSearch ?? 0n));
}

const SEARCHES = ['web_search', 'google_search', 'web_search_options'];

/** The price of one web search, or of one answer grounded in searches. */
function searchPrice({ hostedTools }: Mapping): bigint {
  for (const name of SEARCHES) {
    const tool = findHostedTool(hostedTools, name);
    if (tool) return priceOf(tool);
  }
  return 0n;
}

function priceOf(tool: HostedTool): bigint {
  return tool.amounts[chooseToolKind(tool, '')] ?? 0n;
}

function takesAudio(operations: readonly Operation[]): boolean {
  return operations.includes('speech') || operations.includes('transcriptions');
}
