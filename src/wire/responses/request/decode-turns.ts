import { type JsonObject, append } from '#base';
import type { Block, NativeBlock, ReasoningBlock, ToolCallBlock, Turn } from '#canonical';
import { decodeContent } from './decode-parts.ts';
import { decodeEncrypted } from '../issued-reasoning.ts';
import type { ResponsesItem, ResponsesKnownItem, ResponsesMessage } from '../item-schema.ts';
import type { ToolNaming } from '../namespaces.ts';
import { decodeOwnImage } from '../answer/own-image.ts';
import type { ResponsesJoined } from '../schema.ts';
import { decodeArguments } from '../../tools/call-arguments.ts';
import { isObject } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';

type Kind<Type> = ResponsesKnownItem & { type: Type };

/** Tool outputs, which belong to the user's side. */
const OUTPUT_ITEM = /_(?:output|response)$/;

/** The opening instructions and the turns after them. */
interface Conversation {
  system: Block[];
  turns: Turn[];
}

/** Decodes `input`: consecutive model items form one turn, and so do consecutive tool outputs. */
export function decodeTurns(input: ResponsesJoined['input'], naming: ToolNaming): Conversation {
  if (typeof input === 'string')
    return { system: [], turns: [{ role: 'user', blocks: [{ type: 'text', text: input }] }] };
  const reader = new InputItemReader(naming);
  for (const item of input) reader.read(item);
  return { system: reader.system, turns: reader.turns };
}

const KNOWN: ReadonlySet<unknown> = new Set<ResponsesKnownItem['type']>([
  'message',
  undefined,
  null,
  'function_call',
  'custom_tool_call',
  'function_call_output',
  'custom_tool_call_output',
  'reasoning',
  'image_generation_call',
  'additional_tools',
]);

function isKnown(item: ResponsesItem): item is ResponsesKnownItem {
  return KNOWN.has(item.type);
}

class InputItemReader {
  readonly system: Block[] = [];
  readonly turns: Turn[] = [];
  /** The turn that the next item of the same side joins. */
  #open: { side: 'assistant' | 'results'; turn: Turn } | undefined;
  readonly #naming: ToolNaming;

  constructor(naming: ToolNaming) {
    this.#naming = naming;
  }

  read(item: ResponsesItem): void {
    if (isKnown(item)) this.#readKnown(item);
    else {
      const side = OUTPUT_ITEM.test(item.type) ? 'results' : 'assistant';
      this.#join(side, decodeNative(item));
    }
  }

  #readKnown(item: ResponsesKnownItem): void {
    switch (item.type) {
      case 'function_call':
      case 'custom_tool_call':
        this.#join('assistant', decodeCall(item, this.#naming));
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.#join('results', decodeOutput(item));
        break;
      case 'reasoning':
        for (const block of decodeReasoning(item)) this.#join('assistant', block);
        break;
      case 'image_generation_call':
        this.#join('assistant', decodeOwnImage(item));
        break;
      case 'additional_tools':
        break; // its tools are among those of the request
      default:
        this.#readMessage(item);
    }
  }

  #readMessage(message: ResponsesMessage): void {
    const blocks = decodeContent(message.content);
    switch (message.role) {
      case 'system':
      case 'developer':
        this.#readSystem(blocks);
        break;
      case 'user':
        this.#add('user', blocks);
        break;
      case 'assistant':
        for (const block of blocks) this.#join('assistant', keepMessage(block, message));
    }
  }

  #readSystem(blocks: Block[]): void {
    if (this.turns.length === 0) append(this.system, blocks);
    else this.#add('system', blocks);
  }

  #add(role: Turn['role'], blocks: Block[]): void {
    this.#open = undefined;
    if (blocks.length > 0) this.turns.push({ role, blocks });
  }

  #join(side: 'assistant' | 'results', block: Block): void {
    if (this.#open?.side !== side) {
      const turn: Turn = { role: side === 'assistant' ? 'assistant' : 'user', blocks: [] };
      this.turns.push(turn);
      this.#open = { side, turn };
    }
    this.#open.turn.blocks.push(block);
  }
}

/** Members that are kept for upstreams of this format. */
type Kept = Record<string, string>;

/** What a computer shows is an image. */
interface Screen {
  output: { type: string; image_url: string; file_id: string };
}

function decodeNative(value: JsonObject): NativeBlock {
  const { output }: Members<Screen> = value;
  const { image_url: url, file_id: file } = isObject(output) ? output : {};
  const image = typeof url === 'string' ? url : file;
  const block: NativeBlock = { type: 'native', format: 'responses', value };
  if (typeof image === 'string') block.pictures = [image];
  return block;
}

/** Message members other than its text. */
function keepMessage(block: Block, { id, phase }: ResponsesMessage): Block {
  const kept: Kept = { ...keepId(id)?.responses };
  if (typeof phase === 'string') kept['phase'] = phase;
  if (Object.keys(kept).length === 0) return block;
  block.extra = { ...block.extra, responses: { ...block.extra?.responses, ...kept } };
  return block;
}

function keepId(id: unknown): { responses: Kept } | undefined {
  return typeof id === 'string' ? { responses: { id } } : undefined;
}

function decodeCall(item: Kind<'function_call' | 'custom_tool_call'>, naming: ToolNaming): ToolCallBlock {
  const { call_id: id } = item;
  const name = naming.find(item);
  const isCustom = item.type === 'custom_tool_call';
  const json = isCustom ? item.input : decodeArguments(item.arguments);
  const call: ToolCallBlock = { type: 'tool-call', id, name, input: { json } };
  if (isCustom) call.custom = true;
  const extra = keepId(item.id);
  if (extra) call.extra = extra;
  return call;
}

function decodeOutput(item: Kind<'function_call_output' | 'custom_tool_call_output'>): Block {
  const { call_id: callId, output } = item;
  return { type: 'tool-result', callId, blocks: output ? decodeContent(output) : [], isError: false };
}

/** Reasoning with neither text nor a signature is dropped. */
function decodeReasoning(item: Kind<'reasoning'>): ReasoningBlock[] {
  const summary = joinTexts(item.summary);
  const text = summary === '' ? joinTexts(item.content) : summary;
  const { encrypted_content: encrypted } = item;
  if (!encrypted) return text === '' ? [] : [{ type: 'reasoning', text }];
  const issued = decodeEncrypted(encrypted);
  const block: ReasoningBlock = {
    type: 'reasoning',
    text: issued.redacted === undefined ? text : '',
    ...issued,
  };
  const extra = keepId(item.id);
  if (extra) block.extra = extra;
  return [block];
}

function joinTexts(parts: Kind<'reasoning'>['summary']): string {
  return parts?.map(({ text }) => text).join('\n\n') ?? '';
}
