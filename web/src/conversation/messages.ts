import type { Part, Reader, Turn } from './conversation.ts';
import { type Json, append, parse, toObject, toObjects, toPlace, toText } from './json.ts';
import { callPart, dataPart, imagePart, otherPart, resultPart, textPart, thinkingPart } from './parts.ts';

/** Anthropic Messages. */
export const MESSAGES: Reader = {
  readAsked: (body) => ({
    system: readContent(body['system']),
    turns: toObjects(body['messages']).map(({ role, content }): Turn => ({
      role: toText(role),
      parts: readContent(content),
    })),
    tools: toObjects(body['tools']).map(({ name, type, description, input_schema: schema }) => ({
      name: toText(name) || toText(type),
      description: toText(description),
      schema,
    })),
    settings: {
      temperature: body['temperature'],
      topP: body['top_p'],
      maxTokens: body['max_tokens'],
      effort: toObject(body['output_config'])['effort'],
    },
  }),
  readAnswered: ({ content }) => {
    const parts = readContent(content);
    return parts.length === 0 ? [] : [{ role: 'assistant', parts }];
  },
  joinEvents,
};

function readContent(content: unknown): Part[] {
  return typeof content === 'string' ? textPart(content) : toObjects(content).flatMap(readBlock);
}

function readBlock(block: Json): Part[] {
  const { type, id, name, input } = block;
  if (type === 'text') return textPart(toText(block['text']));
  if (type === 'thinking')
    return block['thinking'] === ''
      ? [{ kind: 'note', text: 'Thinking that the provider hides' }]
      : thinkingPart(toText(block['thinking']));
  if (type === 'redacted_thinking') return [{ kind: 'note', text: 'Encrypted thinking' }];
  if (type === 'tool_use' || type === 'server_tool_use') return [callPart({ id, name, input })];
  if (type === 'tool_result')
    return [
      resultPart({
        id: block['tool_use_id'],
        parts: readContent(block['content']),
        isError: block['is_error'] === true,
      }),
    ];
  if (type === 'image' || type === 'document') return [readSource(toObject(block['source']))];
  return [otherPart(block)];
}

function readSource(source: Json): Part {
  const { type, media_type: mediaType, data, url } = source;
  if (type === 'base64') return dataPart(mediaType, data);
  return type === 'url' ? imagePart(toText(url)) : otherPart(source);
}

const DELTAS: Readonly<Record<string, string>> = { text_delta: 'text', thinking_delta: 'thinking' };

function joinEvents(events: readonly Json[]): Json {
  const blocks: Json[] = [];
  const inputs = new Map<Json, string>();
  const joined: Json = {};
  for (const { type, index, content_block: block, delta: given, error } of events) {
    const at = toPlace(index);
    if (type === 'content_block_start') blocks[at] = { ...toObject(block) };
    const target = blocks[at];
    const delta = toObject(given);
    const member = DELTAS[toText(delta['type'])];
    if (target && member !== undefined) append(target, member, delta[member]);
    if (target && delta['type'] === 'input_json_delta')
      inputs.set(target, (inputs.get(target) ?? '') + toText(delta['partial_json']));
    if (type === 'error') joined['error'] = error;
  }
  for (const [block, text] of inputs) if (text !== '') block['input'] = parse(text) ?? text;
  return { ...joined, content: blocks.filter(Boolean) };
}
