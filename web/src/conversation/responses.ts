import type { Part, Reader, Turn } from './conversation.ts';
import { type Json, append, toObject, toObjects, toPlace, toText } from './json.ts';
import { callPart, imagePart, otherPart, resultPart, textPart, thinkingPart } from './parts.ts';

/** OpenAI Responses. */
export const RESPONSES: Reader = {
  readAsked: (body) => ({
    system: textPart(toText(body['instructions'])),
    turns:
      typeof body['input'] === 'string'
        ? [{ role: 'user', parts: textPart(body['input']) }]
        : readItems(body['input']),
    tools: toObjects(body['tools']).map(({ name, type, description, parameters: schema }) => ({
      name: toText(name) || toText(type),
      description: toText(description),
      schema,
    })),
    settings: {
      temperature: body['temperature'],
      topP: body['top_p'],
      maxTokens: body['max_output_tokens'],
      effort: toObject(body['reasoning'])['effort'],
    },
  }),
  readAnswered: ({ output }) => readItems(output),
  joinEvents,
};

/** Items of the same side are one turn. */
function readItems(items: unknown): Turn[] {
  const turns: { role: string; parts: Part[] }[] = [];
  for (const item of toObjects(items)) {
    const [role, parts] = readItem(item);
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) turns.push({ role, parts: [...parts] });
  }
  return turns;
}

const CALLS = ['function_call', 'custom_tool_call'];
const RESULTS = ['function_call_output', 'custom_tool_call_output'];

function readItem(item: Json): [role: string, parts: Part[]] {
  const type = toText(item['type']) || 'message';
  const { call_id: id, name } = item;
  if (type === 'message') return [toText(item['role']), readContent(item['content'])];
  if (CALLS.includes(type))
    return ['assistant', [callPart({ id, name, input: item['arguments'] ?? item['input'] })]];
  if (RESULTS.includes(type)) return ['tool', [resultPart({ id, parts: readContent(item['output']) })]];
  if (type === 'reasoning') {
    const texts = [...toObjects(item['summary']), ...toObjects(item['content'])];
    const text = texts.map((part) => toText(part['text'])).join('\n\n');
    return [
      'assistant',
      text === '' ? [{ kind: 'note', text: 'Thinking that the provider hides' }] : thinkingPart(text),
    ];
  }
  if (type === 'image_generation_call')
    return ['assistant', [imagePart(`data:image/png;base64,${toText(item['result'])}`)]];
  return [type.endsWith('_output') ? 'tool' : 'assistant', [otherPart(item)]];
}

function readContent(content: unknown): Part[] {
  return typeof content === 'string' ? textPart(content) : toObjects(content).flatMap(readPart);
}

const TEXTS = ['input_text', 'output_text', 'text'];

function readPart(part: Json): Part[] {
  const type = toText(part['type']);
  if (TEXTS.includes(type)) return textPart(toText(part['text']));
  if (type === 'refusal') return textPart(toText(part['refusal']));
  if (type === 'input_image' && typeof part['image_url'] === 'string') return [imagePart(part['image_url'])];
  return [otherPart(part)];
}

const ENDS = ['response.completed', 'response.incomplete', 'response.failed'];

/** The response that the last event carries; of a stream that was cut, what its items had become. */
function joinEvents(events: readonly Json[]): Json {
  const items: Json[] = [];
  const joined: Json = {};
  for (const event of events) {
    const type = toText(event['type']);
    const place = toPlace(event['output_index']);
    if (type === 'error') joined['error'] = event['error'] ?? event;
    if (ENDS.includes(type)) {
      const response = toObject(event['response']);
      if (toObjects(response['output']).length > 0) return { ...joined, ...response };
      joined['error'] ??= response['error'];
    }
    if (type === 'response.output_item.added' || type === 'response.output_item.done')
      items[place] = { ...toObject(event['item']) };
    const item = items[place];
    if (item) addDelta(item, type, event['delta']);
  }
  return { ...joined, output: items.filter(Boolean) };
}

function addDelta(item: Json, type: string, delta: unknown): void {
  if (type === 'response.function_call_arguments.delta') append(item, 'arguments', delta);
  if (type === 'response.custom_tool_call_input.delta') append(item, 'input', delta);
  if (type === 'response.output_text.delta' || type === 'response.refusal.delta')
    addText(item, 'content', delta);
  if (type === 'response.reasoning_summary_text.delta') addText(item, 'summary', delta);
  if (type === 'response.reasoning_text.delta') addText(item, 'content', delta);
}

function addText(item: Json, name: string, delta: unknown): void {
  const [part = { type: 'output_text' }] = toObjects(item[name]);
  append(part, 'text', delta);
  item[name] = [part];
}
