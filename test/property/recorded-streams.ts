import { readFileSync, readdirSync } from 'node:fs';
import { type SseMessage, parseJsonObject } from '#base';
import type { Dialect, FormatId } from '#canonical';
import { readOwnCases, readRecordedCases } from '../golden/cases.ts';
import { RECORDED_SOURCES, RECORDINGS, hasRecordings } from '../support/recordings.ts';
import { PROVIDER_FORMATS, toConverseMessage } from './every-format.ts';

/** One answer of a provider, streamed. */
export interface RecordedStream {
  id: string;
  format: FormatId;
  messages: SseMessage[];
  dialect: Partial<Dialect>;
}

/** Folders of recordings beside those of the golden matrix. */
const MORE_SOURCES: Record<string, FormatId> = { google: 'gemini', 'amazon-bedrock': 'converse' };

/** Every stream there is: the recorded ones, and the golden matrix's own. */
export function readStreams(): RecordedStream[] {
  const cases = [...readOwnCases(), ...readRecordedCases()].filter(({ kind }) => kind === 'stream');
  const golden = cases.map(({ id, format, messages, dialect }) => ({ id, format, messages, dialect }));
  return [...golden, ...readMore()]
    .filter(({ format }) => PROVIDER_FORMATS.includes(format))
    .flatMap(splitAnswers);
}

function readMore(): RecordedStream[] {
  if (!hasRecordings) return [];
  const sources = Object.entries(MORE_SOURCES).filter(([source]) => !(source in RECORDED_SOURCES));
  return sources.flatMap(([source, format]) =>
    readdirSync(`${RECORDINGS}/${source}`)
      .filter((file) => file.endsWith('.chunks.txt'))
      .sort()
      .map((file) => ({
        id: `${source}/${file.replace('.chunks.txt', '')}.stream`,
        format,
        messages: readLines(`${RECORDINGS}/${source}/${file}`).map((data) =>
          format === 'converse' ? toConverseMessage(data) : { data },
        ),
        dialect: {},
      })),
  );
}

function readLines(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
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
