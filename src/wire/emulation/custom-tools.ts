import type {
  Block,
  CanonicalRequest,
  CustomTool,
  FunctionTool,
  GenerationEvent,
  GenerationResult,
  Tool,
} from '#canonical';
import type { Exchange, OutboundFormat } from '../contract.ts';
import { parseJsonObject } from '#base';
import { contentsOf, inputJsonOf } from '#canonical';
import { type EventConverter, withConvertedAnswers } from './converted-answers.ts';
import type { Members } from '../body/unchecked.ts';

/** The only parameter of a custom tool offered as a function. */
const FIELD = 'input';

/**
 * Wraps a format: upstreams without custom tools get functions of one string, and their calls are returned as custom
 * calls.
 */
export function withCustomTools(format: OutboundFormat): OutboundFormat {
  return {
    ...format,
    openExchange(request, target) {
      const isPlain = target.dialect.customTools || !hasCustom(request);
      if (isPlain) return format.openExchange(request, target);
      const names = new Set(request.tools.filter(isCustom).map((tool) => tool.name));
      return liftCalls(format.openExchange(lowerRequest(request), target), names);
    },
  };
}

function isCustom(tool: Tool): tool is CustomTool {
  return tool.type === 'custom';
}

function hasCustom(request: CanonicalRequest): boolean {
  return request.tools.some(isCustom) || contentsOf(request).hasCustomCalls;
}

function lowerRequest(request: CanonicalRequest): CanonicalRequest {
  return {
    ...request,
    tools: request.tools.map((tool) => (isCustom(tool) ? lowerTool(tool) : tool)),
    turns: request.turns.map((turn) => ({ ...turn, blocks: turn.blocks.map(lowerCall) })),
  };
}

function lowerTool({ name, description, format, cache, extra }: CustomTool): FunctionTool {
  const { definition, syntax: named }: Members<{ definition: string; syntax: string }> = format ?? {};
  const grammar = typeof definition === 'string' ? definition : undefined;
  const syntax = typeof named === 'string' ? named : 'given';
  const rule = grammar === undefined ? '' : ` It must match this ${syntax} grammar:\n${grammar}`;
  return {
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    inputSchema: {
      type: 'object',
      properties: {
        [FIELD]: { type: 'string', description: `The tool's whole input as plain text.${rule}` },
      },
      required: [FIELD],
      additionalProperties: false,
    },
    custom: true,
    ...(cache && { cache }),
    ...(extra && { extra }),
  };
}

function lowerCall(block: Block): Block {
  if (block.type !== 'tool-call' || !block.custom) return block;
  const call = { ...block, input: { value: { [FIELD]: 'json' in block.input ? block.input.json : '' } } };
  delete call.custom;
  return call;
}

function liftCalls(exchange: Exchange, names: ReadonlySet<string>): Exchange {
  return withConvertedAnswers(exchange, {
    convertResult: (result) => liftResult(result, names),
    createConverter: () => new LiftingConverter(names),
  });
}

function liftResult(result: GenerationResult, names: ReadonlySet<string>): GenerationResult {
  const blocks = result.blocks.map((block): Block => {
    if (block.type !== 'tool-call' || !names.has(block.name)) return block;
    return { ...block, custom: true, input: { json: toPlainInput(inputJsonOf(block)) } };
  });
  return { ...result, blocks };
}

/** Arguments that are not the expected object (cut short, or plain text) are passed on as they are. */
function toPlainInput(json: string): string {
  const input = parseJsonObject(json)?.[FIELD];
  return typeof input === 'string' ? input : json;
}

/** Holds the arguments of a custom call until complete: half a JSON string cannot be read. */
class LiftingConverter implements EventConverter {
  readonly #names: ReadonlySet<string>;
  #held: string[] | undefined;

  constructor(names: ReadonlySet<string>) {
    this.#names = names;
  }

  convert(event: GenerationEvent): GenerationEvent[] {
    if (event.type === 'block-start') return [this.#open(event)];
    if (!this.#held) return [event];
    if (event.type === 'block-delta') {
      this.#held.push(event.text);
      return [];
    }
    if (event.type !== 'block-end') return [event];
    const text = toPlainInput(this.#held.join(''));
    this.#held = undefined;
    return [{ type: 'block-delta', index: event.index, text }, event];
  }

  #open(event: GenerationEvent & { type: 'block-start' }): GenerationEvent {
    const { block } = event;
    if (block.type !== 'tool-call' || !this.#names.has(block.name)) return event;
    const opening = 'json' in block.input ? block.input.json : JSON.stringify(block.input.value);
    this.#held = opening === '' ? [] : [opening];
    return { ...event, block: { ...block, custom: true, input: { json: '' } } };
  }
}
