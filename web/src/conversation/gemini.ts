import type { Part, Reader, Turn } from './conversation.ts';
import { type Json, append, printJson, toObject, toObjects, toPlace, toText } from './json.ts';
import { callPart, dataPart, otherPart, resultPart, textPart, thinkingPart } from './parts.ts';

/** Google's Gemini API. */
export const GEMINI: Reader = {
  readAsked: (body) => {
    const config = toObject(body['generationConfig'] ?? body['generation_config']);
    return {
      system: readParts(toObject(body['systemInstruction'] ?? body['system_instruction'])['parts']),
      turns: toObjects(body['contents']).map(({ role, parts }): Turn => ({
        role: nameRole(role),
        parts: readParts(parts),
      })),
      tools: toObjects(body['tools']).flatMap((tool) => {
        const named = toObjects(tool['functionDeclarations'] ?? tool['function_declarations']);
        if (named.length === 0)
          return Object.keys(tool).map((name) => ({ name, description: '', schema: undefined }));
        return named.map(({ name, description, parameters, parametersJsonSchema }) => ({
          name: toText(name),
          description: toText(description),
          schema: parametersJsonSchema ?? parameters,
        }));
      }),
      settings: {
        temperature: config['temperature'],
        topP: config['topP'] ?? config['top_p'],
        maxTokens: config['maxOutputTokens'] ?? config['max_output_tokens'],
      },
    };
  },
  readAnswered: ({ candidates }) =>
    toObjects(candidates).map(({ content }, index, all): Turn => ({
      role: all.length === 1 ? 'assistant' : `assistant, candidate ${index + 1}`,
      parts: readParts(toObject(content)['parts']),
    })),
  joinEvents,
};

const nameRole = (role: unknown): string => (role === 'model' ? 'assistant' : toText(role) || 'user');

function readParts(parts: unknown): Part[] {
  return toObjects(parts).flatMap(readPart);
}

function readPart(part: Json): Part[] {
  const call = part['functionCall'];
  const result = part['functionResponse'];
  const data = part['inlineData'] ?? part['inline_data'];
  if (typeof part['text'] === 'string')
    return part['thought'] === true ? thinkingPart(part['text']) : textPart(part['text']);
  if (call !== undefined) {
    const { id, name, args } = toObject(call);
    return [callPart({ id: id ?? name, name, input: args })];
  }
  if (result !== undefined) {
    const { id, name, response } = toObject(result);
    return [resultPart({ id: id ?? name, parts: textPart(printJson(response)) })];
  }
  if (data !== undefined) {
    const { mimeType, mime_type: named, data: base64 } = toObject(data);
    return [dataPart(mimeType ?? named, base64)];
  }
  return [otherPart(part)];
}

/** Texts that follow one another are one. */
function joinEvents(events: readonly Json[]): Json {
  const joined: Json = {};
  const candidates: Json[][] = [];
  for (const event of events) {
    if (event['error'] !== undefined) joined['error'] = event['error'];
    for (const { index = 0, content } of toObjects(event['candidates'])) {
      const parts = (candidates[toPlace(index)] ??= []);
      for (const part of toObjects(toObject(content)['parts'])) addPart(parts, part);
    }
  }
  return { ...joined, candidates: candidates.filter(Boolean).map((parts) => ({ content: { parts } })) };
}

function addPart(parts: Json[], part: Json): void {
  const last = parts.at(-1);
  const isMore =
    typeof last?.['text'] === 'string' &&
    typeof part['text'] === 'string' &&
    (last['thought'] === true) === (part['thought'] === true);
  if (last && isMore) append(last, 'text', part['text']);
  else parts.push({ ...part });
}
