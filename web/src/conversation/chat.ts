import type { Part, Reader, Tool, Turn } from './conversation.ts';
import { type Json, append, toObject, toObjects, toPlace, toText } from './json.ts';
import { callPart, dataPart, imagePart, otherPart, resultPart, textPart, thinkingPart } from './parts.ts';

const SYSTEM = ['system', 'developer'];

/** OpenAI Chat Completions. */
export const CHAT: Reader = {
  readAsked: (body) => {
    const messages = toObjects(body['messages']);
    const first = messages.findIndex(({ role }) => !SYSTEM.includes(toText(role)));
    const opening = first === -1 ? messages : messages.slice(0, first);
    return {
      system: opening.flatMap(readMessage),
      turns: messages
        .slice(opening.length)
        .map((message): Turn => ({ role: toText(message['role']), parts: readMessage(message) })),
      tools: toObjects(body['tools']).map(readFunction),
      settings: {
        temperature: body['temperature'],
        topP: body['top_p'],
        maxTokens: body['max_completion_tokens'] ?? body['max_tokens'],
        effort: body['reasoning_effort'],
      },
    };
  },
  readAnswered: ({ choices }) =>
    toObjects(choices).map(({ message }, index, all): Turn => ({
      role: all.length === 1 ? 'assistant' : `assistant, choice ${index + 1}`,
      parts: readMessage(toObject(message)),
    })),
  joinEvents,
};

function readFunction(tool: Json): Tool {
  const named = toObject(tool['function'] ?? tool['custom'] ?? tool);
  return {
    name: toText(named['name']) || toText(tool['type']),
    description: toText(named['description']),
    schema: named['parameters'],
  };
}

function readMessage(message: Json): Part[] {
  const parts = [
    ...thinkingPart(toText(message['reasoning_content']) || toText(message['reasoning'])),
    ...readContent(message['content']),
    ...textPart(toText(message['refusal'])),
    ...toObjects(message['images']).flatMap(readPart),
    ...toObjects(message['tool_calls']).map((call): Part => {
      const { name, arguments: input } = toObject(call['function']);
      const custom = toObject(call['custom']);
      return callPart({ id: call['id'], name: name ?? custom['name'], input: input ?? custom['input'] });
    }),
  ];
  return message['role'] === 'tool' ? [resultPart({ id: message['tool_call_id'], parts })] : parts;
}

function readContent(content: unknown): Part[] {
  return typeof content === 'string' ? textPart(content) : toObjects(content).flatMap(readPart);
}

function readPart(part: Json): Part[] {
  const { type } = part;
  if (type === 'text') return textPart(toText(part['text']));
  if (type === 'refusal') return textPart(toText(part['refusal']));
  if (type === 'image_url') return [imagePart(toText(toObject(part['image_url'])['url']))];
  if (type === 'input_audio') {
    const { format, data } = toObject(part['input_audio']);
    return [dataPart(`audio/${toText(format)}`, data)];
  }
  return [otherPart(part)];
}

/** Each choice, as its deltas add up. */
function joinEvents(events: readonly Json[]): Json {
  const messages: Json[] = [];
  const joined: Json = {};
  for (const { choices, error } of events) {
    if (error !== undefined) joined['error'] = error;
    for (const { index = 0, delta } of toObjects(choices)) {
      const message = (messages[toPlace(index)] ??= { role: 'assistant' });
      addDelta(message, toObject(delta));
    }
  }
  return { ...joined, choices: messages.filter(Boolean).map((message) => ({ message })) };
}

function addDelta(message: Json, delta: Json): void {
  for (const name of ['content', 'refusal']) append(message, name, delta[name]);
  append(message, 'reasoning_content', delta['reasoning_content'] ?? delta['reasoning']);
  if (delta['images'] !== undefined)
    message['images'] = [...toObjects(message['images']), ...toObjects(delta['images'])];
  if (delta['tool_calls'] === undefined) return;
  const calls = toObjects(message['tool_calls']);
  message['tool_calls'] = calls;
  for (const { index = 0, id, function: named } of toObjects(delta['tool_calls'])) {
    const call = (calls[toPlace(index)] ??= { function: {} });
    const called = toObject(call['function']);
    append(call, 'id', id);
    for (const name of ['name', 'arguments']) append(called, name, toObject(named)[name]);
  }
}
