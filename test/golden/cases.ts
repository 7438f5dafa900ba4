import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type SseMessage, isJsonObject, parseJsonObject } from '#base';
import { type Dialect, FORMATS, type FormatId } from '#canonical';
import { type Recording, readRecordings, toMessages, toRecordedMessages } from '../support/recordings.ts';

const folder = fileURLToPath(new URL('cases', import.meta.url));

/** One upstream answer of the matrix. */
export interface GoldenCase {
  /** Such as `deepseek/deepseek-reasoning.stream`; the golden file has this name. */
  id: string;
  format: FormatId;
  kind: 'stream' | 'body';
  text: string;
  messages: SseMessage[];
  dialect: Partial<Dialect>;
  /** Written here, so that its texts may be shown. */
  own: boolean;
}

/** What the catalogue says of a recorded provider and its answers depend on. */
const DIALECTS: Record<string, Partial<Dialect>> = {
  'openai-compatible': { completionExcludesReasoning: true }, // xAI
};

function toCase(recording: Recording, messages: SseMessage[]): GoldenCase {
  const { source, name, format, kind, text } = recording;
  return { id: `${source}/${name}.${kind}`, format, kind, text, messages, dialect: DIALECTS[source] ?? {}, own: source === format };
}

/** Answers that real providers gave; none where the recordings are absent. */
export function readRecordedCases(): GoldenCase[] {
  return readRecordings().map((recording) =>
    toCase(recording, recording.kind === 'stream' ? toRecordedMessages(recording) : []),
  );
}

/** Answers written for what the recordings do not show: `cases/<format>/<name>.jsonl` (a stream) or `.json` (a body). */
export function readOwnCases(): GoldenCase[] {
  return FORMATS.flatMap((format) =>
    readdirSync(`${folder}/${format}`)
      .sort()
      .map((file) => {
        const kind = file.endsWith('.jsonl') ? 'stream' : 'body';
        const text = readFileSync(`${folder}/${format}/${file}`, 'utf8');
        const recording = {
          source: format,
          name: file.replace(/\.jsonl?$/, ''),
          format,
          kind,
          text,
        } as const;
        return toCase(recording, kind === 'stream' ? toMessages(recording) : []);
      }),
  );
}

/** A body that is an error instead of an answer. */
export function isErrorBody(golden: GoldenCase): boolean {
  return golden.kind === 'body' && isJsonObject(parseJsonObject(golden.text)?.['error']);
}
