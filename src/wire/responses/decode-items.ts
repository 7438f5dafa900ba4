import { type JsonObject, append, isJsonObject } from '#base';
import type { Block, ReasoningBlock, ToolCallBlock, Turn } from '#canonical';
import { isPresent, refuse, requireArray, requireObject, requireString, requireText } from '../read-field.ts';
import { decodeContent, decodeTextContent } from './decode-parts.ts';
import type { ResponsesBody, ResponsesItem } from './schema.ts';
import type { Members, Unchecked } from '../unchecked.ts';
import { decodeEncrypted } from './issued-reasoning.ts';
import { decodeOwnImage } from './own-image.ts';
import { flattenName } from './namespaces.ts';

const MOST_ITEMS = 100_000;
/** Tool outputs, which belong to the user's side. */
const OUTPUT_ITEM = /_(?:output|response)$/;

/** The opening instructions and the turns after them. */
interface Conversation {
  system: Block[];
  turns: Turn[];
}

/** Decodes `input`: consecutive model items form one turn, and so do consecutive tool outputs. */
export function decodeInput(value: Members<ResponsesBody>['input']): Conversation {
  if (typeof value === 'string') {
    if (value === '') return refuse('input', 'must not be empty');
    return { system: [], turns: [{ role: 'user', blocks: [{ type: 'text', text: value }] }] };
  }
  const items = requireArray(value, 'input');
  if (items.length === 0) return refuse('input', 'must not be empty');
  if (items.length > MOST_ITEMS) return refuse('input', `at most ${MOST_ITEMS} items are accepted`);
  const reader = new ItemReader();
  items.forEach((item, at) => {
    const path = `input[${at}]`;
    reader.read(requireObject(item, path), path);
  });
  return { system: reader.system, turns: reader.turns };
}

class ItemReader {
  readonly system: Block[] = [];
  readonly turns: Turn[] = [];
  /** The turn that the next item of the same side joins. */
  #open: { side: 'assistant' | 'results'; turn: Turn } | undefined;

  read(item: Members<ResponsesItem>, path: string): void {
    const type = typeOf(item, path);
    switch (type) {
      case 'message':
        this.#readMessage(item, path);
        break;
      case 'function_call':
      case 'custom_tool_call':
        this.#join('assistant', decodeCall(item, path));
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
        this.#join('results', decodeOutput(item, path));
        break;
      case 'reasoning':
        for (const block of decodeReasoning(item, path)) this.#join('assistant', block);
        break;
      case 'image_generation_call':
        this.#join('assistant', decodeOwnImage(item));
        break;
      case 'item_reference':
        return refuse(path, 'refers to an item this gateway has not stored; send the item itself');
      default:
        this.#join(OUTPUT_ITEM.test(type) ? 'results' : 'assistant', {
          type: 'native',
          format: 'responses',
          value: item,
        });
    }
  }

  #readMessage(item: Members<ResponsesItem>, path: string): void {
    const { role, content } = item;
    switch (role) {
      case 'system':
      case 'developer':
        this.#readSystem(decodeTextContent(content, `${path}.content`));
        break;
      case 'user':
        this.#add('user', decodeContent(content, `${path}.content`));
        break;
      case 'assistant':
        for (const block of decodeContent(content, `${path}.content`)) {
          this.#join('assistant', keepMessage(block, item));
        }
        break;
      default:
        refuse(`${path}.role`, 'must be one of user, assistant, system, developer');
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

/** Easy messages and references to stored items have no type. */
function typeOf(item: Members<ResponsesItem>, path: string): string {
  if (isPresent(item.type)) return requireText(item.type, path, '.type');
  if (item.role !== undefined) return 'message';
  if (typeof item.id === 'string') return 'item_reference';
  return refuse(`${path}.type`, 'expected the type of an item, such as message');
}

/** Message members other than its text, kept for upstreams of this format. */
function keepMessage(block: Block, { id, phase }: Members<ResponsesItem>): Block {
  const kept = pickTexts({ id, phase });
  if (kept) block.extra = { ...block.extra, responses: { ...block.extra?.responses, ...kept } };
  return block;
}

function pickTexts(members: JsonObject): JsonObject | undefined {
  const given = Object.entries(members).filter(([, value]) => typeof value === 'string');
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}

function decodeCall(item: Members<ResponsesItem>, path: string): ToolCallBlock {
  const id = requireText(item.call_id, path, '.call_id');
  const called = requireText(item.name, path, '.name');
  const namespace = isPresent(item.namespace) ? requireText(item.namespace, path, '.namespace') : undefined;
  const name = namespace === undefined ? called : flattenName({ namespace, name: called });
  const kept = pickTexts({ id: item.id });
  const extra = kept ? { extra: { responses: kept } } : {};
  if (item.type === 'custom_tool_call') {
    const json = requireString(item.input, `${path}.input`);
    return { type: 'tool-call', id, name, input: { json }, custom: true, ...extra };
  }
  return { type: 'tool-call', id, name, input: { json: readArguments(item, path) }, ...extra };
}

/** Arguments stay text. Clients replay what upstreams sent: empty arguments may be `""` or null. */
function readArguments({ arguments: value }: Members<ResponsesItem>, path: string): string {
  if (value === undefined || value === null || value === '') return '{}';
  if (isJsonObject(value)) return JSON.stringify(value);
  return requireString(value, `${path}.arguments`);
}

function decodeOutput(item: Members<ResponsesItem>, path: string): Block {
  const callId = requireText(item.call_id, `${path}.call_id`);
  const { output } = item;
  const isEmpty = output === undefined || output === null || output === '';
  const blocks = isEmpty ? [] : decodeContent(output, `${path}.output`);
  return { type: 'tool-result', callId, blocks, isError: false };
}

/** Reasoning with neither text nor a signature is dropped. */
function decodeReasoning(item: Members<ResponsesItem>, path: string): ReasoningBlock[] {
  const summary = readTexts(item.summary, `${path}.summary`);
  const text = summary === '' ? readTexts(item.content, `${path}.content`) : summary;
  const { encrypted_content: given } = item;
  const encrypted = isPresent(given) ? requireString(given, path, '.encrypted_content') : undefined;
  if (!encrypted) return text === '' ? [] : [{ type: 'reasoning', text }];
  const issued = decodeEncrypted(encrypted);
  const kept = pickTexts({ id: item.id });
  const shown = issued.redacted === undefined ? text : '';
  return [{ type: 'reasoning', text: shown, ...issued, ...(kept && { extra: { responses: kept } }) }];
}

function readTexts(value: Unchecked<{ text: string }[]> | undefined, path: string): string {
  if (!isPresent(value)) return '';
  return requireArray(value, path)
    .map((part, at) => requireString(requireObject(part, `${path}[${at}]`).text, `${path}[${at}].text`))
    .join('\n\n');
}
