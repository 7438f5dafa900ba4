import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseJsonObject, type SseMessage } from '#base';
import type { FormatId } from '#canonical';

/** The folder of recorded provider traffic, outside the repository. */
export const RECORDINGS = fileURLToPath(new URL('../../../shared/recordings', import.meta.url));

export const hasRecordings = existsSync(RECORDINGS);
export const NO_RECORDINGS = `no recordings at ${RECORDINGS}`;

/** The folders of recorded traffic, by format. */
export const RECORDED_SOURCES = {
  anthropic: 'messages',
  'openai-chat': 'chat',
  deepseek: 'chat',
  groq: 'chat',
  mistral: 'chat',
  alibaba: 'chat',
  perplexity: 'chat',
  'openai-compatible': 'chat',
  'openai-responses': 'responses',
  google: 'gemini',
  'amazon-bedrock': 'converse',
} as const satisfies Record<string, FormatId>;

/** One recorded answer: a stream (one payload per line) or a body. */
export interface Recording {
  source: string;
  /** The file's name without its extensions. */
  name: string;
  format: FormatId;
  kind: 'stream' | 'body';
  text: string;
}

/** Every recording of a chat; embeddings and images are answers of other endpoints. */
export function readRecordings(): Recording[] {
  if (!hasRecordings) return [];
  return Object.entries(RECORDED_SOURCES).flatMap(([source, format]) => {
    const folder = `${RECORDINGS}/${source}`;
    const files = existsSync(folder) ? readdirSync(folder).sort() : [];
    return files
      .filter((file) => /\.(chunks\.txt|json)$/.test(file) && !/-(embedding|image)\b/.test(file))
      .map((file) => toRecording(file, `${folder}/${file}`, { source, format }));
  });
}

function toRecording(file: string, path: string, common: Pick<Recording, 'source' | 'format'>): Recording {
  const kind = file.endsWith('.chunks.txt') ? 'stream' : 'body';
  return {
    ...common,
    name: file.replace(/\.(chunks\.txt|json|jsonl)$/, ''),
    kind,
    text: readFileSync(path, 'utf8'),
  };
}

/** Payloads, one per line, as events: named by their `type`, except in Chat. */
export function toMessages({ text, format }: Pick<Recording, 'text' | 'format'>): SseMessage[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((data): SseMessage => {
    if (format === 'converse') return unwrap(data);
    const type = format === 'chat' ? undefined : parseJsonObject(data)?.['type'];
    return typeof type === 'string' ? { event: type, data } : { data };
  });
}

/** Events of Converse are written as their single named member. */
function unwrap(line: string): SseMessage {
  const [entry] = Object.entries(parseJsonObject(line) ?? {});
  return entry ? { event: entry[0], data: JSON.stringify(entry[1]) } : { data: line };
}

/** A recorded stream as it was sent: recordings of Chat omit the final `[DONE]`. */
export function toRecordedMessages(recording: Pick<Recording, 'text' | 'format'>): SseMessage[] {
  const messages = toMessages(recording);
  if (recording.format === 'chat' && messages.at(-1)?.data !== '[DONE]') messages.push({ data: '[DONE]' });
  return messages;
}

/** One recording by its file, such as `groq/groq-tool-call.chunks.txt`. */
export function readRecording(file: string): Recording {
  const [source = '', name = ''] = file.split('/');
  const format = (RECORDED_SOURCES as Record<string, FormatId>)[source];
  if (!format) throw new Error(`${file} is not in a folder of known traffic`);
  return toRecording(name, `${RECORDINGS}/${file}`, { source, format });
}
