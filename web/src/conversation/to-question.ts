import { EMPTY_QUESTION, type Message, type Question } from '../playground/compose-request.ts';
import type { ConversationRequest, Part, Turn } from './conversation.ts';

interface Continued {
  question: Question;
  /** The turns before the last one, or all of them if the last one is not a question. */
  history: readonly Message[];
}

/** What a kept request asked, for the playground. */
export function toQuestion({ system, turns, tools, settings }: ConversationRequest): Continued {
  const last = turns.at(-1);
  const isQuestion =
    last?.role === 'user' && last.parts.every(({ kind }) => kind === 'text' || kind === 'image');
  const history = isQuestion ? turns.slice(0, -1) : turns;
  const asked = isQuestion ? last.parts : [];
  return {
    question: {
      ...EMPTY_QUESTION,
      system: joinTexts(system),
      prompt: joinTexts(asked),
      files: toImages(asked).map((data) => ({ name: 'image', kind: 'image', data })),
      temperature: toField(settings.temperature),
      topP: toField(settings.topP),
      maxTokens: toField(settings.maxTokens),
      effort: toField(settings.effort),
      tools: tools.length === 0 ? '' : JSON.stringify(tools.map(toFunction), null, 2),
    },
    history: history.flatMap(toMessages),
  };
}

const toField = (value: unknown): string =>
  typeof value === 'number' || typeof value === 'string' ? String(value) : '';

const toFunction = ({ name, description, schema }: ConversationRequest['tools'][number]): object => ({
  name,
  ...(description !== '' && { description }),
  ...(schema !== undefined && { parameters: schema }),
});

function joinTexts(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n\n');
}

const toImages = (parts: readonly Part[]): string[] =>
  parts.flatMap((part) => (part.kind === 'image' ? [part.url] : []));

/** Thinking and parts that Chat does not have are left out. */
function toMessages({ role, parts }: Turn): Message[] {
  const text = joinTexts(parts);
  if (role.startsWith('assistant')) {
    const calls = parts.filter((part) => part.kind === 'call');
    if (text === '' && calls.length === 0) return [];
    return [
      {
        role: 'assistant',
        content: text,
        ...(calls.length > 0 && {
          tool_calls: calls.map(({ id, name, input }) => ({
            id,
            type: 'function',
            function: { name, arguments: input },
          })),
        }),
      },
    ];
  }
  const results = parts.flatMap((part): Message[] =>
    part.kind === 'result' ? [{ role: 'tool', tool_call_id: part.id, content: joinTexts(part.parts) }] : [],
  );
  const images = toImages(parts).map((url) => ({ type: 'image_url', image_url: { url } }));
  if (text === '' && images.length === 0) return results;
  const content = images.length === 0 ? text : [{ type: 'text', text }, ...images];
  return [...results, { role: role === 'system' || role === 'developer' ? 'system' : 'user', content }];
}
