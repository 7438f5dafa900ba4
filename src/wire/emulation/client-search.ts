import { isJsonObject, parseJsonObject } from '#base';
import type {
  Block,
  CanonicalRequest,
  FunctionTool,
  GenerationEvent,
  NativeBlock,
  NativeTool,
  Tool,
  ToolCallBlock,
} from '#canonical';
import { inputJsonOf } from '#canonical';
import type { Exchange } from '../contract.ts';
import { type EventConverter, withConvertedAnswers } from './converted-answers.ts';
import { isObject, itemsOf } from '../body/read-field.ts';
import type { Members } from '../body/unchecked.ts';

// The client-run tool search of Responses; other formats get a function.

/** Members of the tool and of the items that record its use. */
interface Native {
  type: string;
  name: string;
  execution: string;
  call_id: string;
  arguments: object;
  description: string;
  parameters: object;
  tools: ListedTool[];
}

interface ListedTool {
  type: string;
  name: string;
  tools: { name: string }[];
}

const CALL = 'tool_search_call';
const OUTPUT = 'tool_search_output';

/** Whether a tool is a search that the client runs. */
export function isClientSearch(tool: Tool): tool is NativeTool {
  return tool.type === 'native' && tool.format === 'responses' && isRunByClient(tool.value, 'tool_search');
}

function isRunByClient(value: Members<Native>, type: string): boolean {
  return value.type === type && value.execution === 'client';
}

/** The search as a function, under a name that no other tool has. */
export function toFunction({ value }: NativeTool, tools: readonly Tool[]): FunctionTool {
  const { description, parameters }: Members<Native> = value;
  const taken = new Set(tools.map((tool) => tool.name));
  let name = 'tool_search';
  while (taken.has(name)) name += '_';
  return {
    type: 'function',
    name,
    ...(typeof description === 'string' && { description }),
    ...(isJsonObject(parameters) && { inputSchema: parameters }),
  };
}

/** The turns, with searches as calls of the function and what they found as its results. */
export function lowerSearches({ turns, tools }: CanonicalRequest, name: string): CanonicalRequest['turns'] {
  const names = new Map(tools.map((tool) => [keyOf(tool), tool.name]));
  const lower = (block: Block): Block =>
    block.type === 'native' && block.format === 'responses' ? lowerBlock(block, { name, names }) : block;
  return turns.map((turn) => ({ ...turn, blocks: turn.blocks.map(lower) }));
}

/** The name of the function, and those of namespaced tools by namespace and name. */
interface Names {
  name: string;
  names: ReadonlyMap<string, string | undefined>;
}

function lowerBlock(block: NativeBlock, { name, names }: Names): Block {
  const { call_id: id, arguments: input, tools }: Members<Native> = block.value;
  if (typeof id !== 'string') return block;
  if (isRunByClient(block.value, CALL))
    return { type: 'tool-call', id, name, input: { value: isJsonObject(input) ? input : {} } };
  if (!isRunByClient(block.value, OUTPUT)) return block;
  const text = JSON.stringify({ found: listFound(tools, names) });
  return { type: 'tool-result', callId: id, blocks: [{ type: 'text', text }], isError: false };
}

function listFound(tools: Members<Native>['tools'], names: Names['names']): string[] {
  return itemsOf(tools)
    .filter(isObject)
    .flatMap((tool) => {
      if (tool.type !== 'namespace') return typeof tool.name === 'string' ? [tool.name] : [];
      return itemsOf(tool.tools)
        .filter(isObject)
        .flatMap(({ name }) => names.get(JSON.stringify([tool.name, name])) ?? []);
    });
}

function keyOf({ extra }: Tool): string {
  const { namespace, name }: Members<{ namespace: string; name: string }> = extra?.responses ?? {};
  return JSON.stringify([namespace, name]);
}

/** An exchange that returns calls of the function as searches. */
export function liftSearches(exchange: Exchange, name: string): Exchange {
  const lift = (block: Block): Block => (isSearch(block, name) ? liftCall(block) : block);
  return withConvertedAnswers(exchange, {
    convertResult: (result) => ({ ...result, blocks: result.blocks.map(lift) }),
    createConverter: () => new SearchConverter(name),
  });
}

function isSearch(block: Block, name: string): block is ToolCallBlock {
  return block.type === 'tool-call' && block.name === name;
}

function liftCall(call: ToolCallBlock): NativeBlock {
  const input = parseJsonObject(inputJsonOf(call)) ?? {};
  const run = { execution: 'client', status: 'completed' };
  return {
    type: 'native',
    format: 'responses',
    value: { type: CALL, call_id: call.id, ...run, arguments: input },
  };
}

/** Holds a search until its arguments are complete: its item has no deltas. */
class SearchConverter implements EventConverter {
  readonly #name: string;
  #held: { call: ToolCallBlock; parts: string[] } | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  convert(event: GenerationEvent): GenerationEvent[] {
    if (event.type === 'block-start' && isSearch(event.block, this.#name)) {
      this.#held = { call: event.block, parts: [] };
      return [];
    }
    const held = this.#held;
    if (!held) return [event];
    if (event.type === 'block-delta') {
      held.parts.push(event.text);
      return [];
    }
    if (event.type !== 'block-end') return [event];
    this.#held = undefined;
    const json = held.parts.join('');
    const block = liftCall(json === '' ? held.call : { ...held.call, input: { json } });
    return [{ type: 'block-start', index: event.index, block }, event];
  }
}
