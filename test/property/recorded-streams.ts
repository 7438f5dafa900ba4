import { type SseMessage, parseJsonObject } from '#base';
import type { Dialect, FormatId } from '#canonical';
import { readOwnCases, readRecordedCases } from '../golden/cases.ts';

/** One answer of a provider, streamed. */
export interface RecordedStream {
  id: string;
  format: FormatId;
  messages: SseMessage[];
  dialect: Partial<Dialect>;
}

/** Every stream: the recorded ones, and the golden matrix's own. */
export function readStreams(): RecordedStream[] {
  return [...readOwnCases(), ...readRecordedCases()]
    .filter(({ kind }) => kind === 'stream')
    .map(({ id, format, messages, dialect }) => ({ id, format, messages, dialect }))
    .flatMap(splitAnswers);
}

/** A recording of Responses may hold several answers, one after the other. */
function splitAnswers(stream: RecordedStream): RecordedStream[] {
  if (stream.format !== 'responses') return [stream];
  const answers: SseMessage[][] = [];
  for (const message of stream.messages) {
    if (answers.length === 0 || parseJsonObject(message.data)?.['type'] === 'response.created')
      answers.push([]);
    answers.at(-1)?.push(message);
  }
  return answers.map((messages, at) => ({ ...stream, id: `${stream.id}#${at}`, messages }));
}
