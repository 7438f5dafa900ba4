import type { JsonValue } from '#base';
import type { CanonicalRequest, Contents, Tool, UsagePart } from '#canonical';
import type { PromptSize } from '../request/prompt-size.ts';
import { hash } from 'node:crypto';
import { INPUT_PARTS, contentsOf, isLongMark, estimateTokens } from '#canonical';
import { CLIENT_FACTS, FORMAT_FACTS } from '#wire';
import { findConversation } from '../request/find-conversation.ts';
import { listPrefixes } from './list-prefixes.ts';
import { measureRecordings } from './measure-recordings.ts';

/** Shorter prompts are held by their bytes: their price hardly matters. */
const LONG_PROMPT_BYTES = 4_096;
/** How much is compared of each block that identifies a conversation. */
const COMPARED_CHARACTERS = 256;
/** Anthropic's field for marks that the provider sets itself. */
const AUTOMATIC_CACHE = 'cache_control';
/** More than most models charge for one image (high-resolution tiles included); the catalogue has the exceptions. */
export const MOST_IMAGE_TOKENS = 8_192;
const USUAL_IMAGE_TOKENS = 1_500;
/** Providers add instructions of their own to a prompt, and more for tools. */
const FRAME_TOKENS = 64;
const TOOL_FRAME_TOKENS = 1_024;

/** Tools a provider runs on its own servers; what they fetch counts as input. */
const FETCHING_TOOL = /^(?:web_|x_|code_|shell|file_search|collections_|mcp)/;
const FETCHING_MEMBER = /^(?:url_?context|file_?search|code_?execution|mcp)/i;
/** Sizes a prompt from its body's length, without reading any text. */
export function measurePrompt(request: CanonicalRequest, bodyBytes: number): PromptSize {
  const { tools, origin } = request;
  const contents = contentsOf(request);
  const { images, imageBytes, hasAudio } = contents;
  const recordings = measureRecordings(contents.recordings);
  const documents = [...contents.documents, ...recordings.uncounted];
  const hasDocuments = documents.length > 0;
  const isContinued = findConversation(request.accountObjects) !== undefined;
  const isFetched = contents.isFetched || tools.some(isFetching) || hasFetchingField(request) || isContinued;
  const isMarkedLong =
    contents.isMarkedLong ||
    isReported(origin.body[AUTOMATIC_CACHE]) ||
    tools.some(({ cache }) => isLongMark(cache)) ||
    isContinued;
  const textBytes = Math.max(0, bodyBytes - imageBytes - recordings.bytes);
  const frame = FRAME_TOKENS + (tools.length > 0 ? TOOL_FRAME_TOKENS : 0);
  return {
    bound: isFetched ? Infinity : textBytes + recordings.most + frame,
    textBytes,
    images,
    hasDocuments,
    recordingTokens: recordings.most,
    estimate: estimateTokens(textBytes) + images * USUAL_IMAGE_TOKENS + recordings.likely,
    parts: listInputParts({ images, hasAudio, isFetched, isMarkedLong }),
    ...((hasDocuments || textBytes >= LONG_PROMPT_BYTES) && {
      conversation: identifyConversation(request, documents),
      shown: hashUpToEach(contents.shown),
      prefixes: listPrefixes(request),
    }),
  };
}

const TEXT_PARTS: readonly UsagePart[] = INPUT_PARTS.filter(
  (part) => part !== 'inputCacheWrite1h' && part !== 'inputAudio' && part !== 'inputImage',
);

/** Writing to a cache for longer than usual, audio and images have prices of their own. */
function listInputParts({
  images,
  isFetched,
  hasAudio,
  isMarkedLong,
}: Pick<Contents, 'images' | 'isFetched' | 'hasAudio' | 'isMarkedLong'>): readonly UsagePart[] {
  if (!isMarkedLong && !isFetched && !hasAudio && images === 0) return TEXT_PARTS;
  const parts = [...TEXT_PARTS];
  if (isMarkedLong) parts.push('inputCacheWrite1h');
  if (hasAudio || isFetched) parts.push('inputAudio');
  if (images > 0 || isFetched) parts.push('inputImage');
  return parts;
}

/**
 * Identifies a conversation by its beginning and its documents, which stay while turns are added. Documents are compared
 * as a whole: the count of one is no measure of another. Only a hash is kept.
 */
function identifyConversation(
  { model, sessionId = '', system, tools, turns }: CanonicalRequest,
  documents: readonly string[],
): string {
  const beginning = [...system.slice(0, 2), ...(turns[0]?.blocks.slice(0, 4) ?? [])].map((block) =>
    'text' in block ? block.text.slice(0, COMPARED_CHARACTERS) : block.type,
  );
  return hash(
    'sha1',
    JSON.stringify([
      model.slice(0, COMPARED_CHARACTERS),
      sessionId,
      tools.length,
      beginning,
      documents.map((base64) => hash('sha1', base64)),
    ]),
    'base64',
  );
}

/** Images are hashed as a whole, unlike texts: few of their bytes state the size, and so the number of tokens. */
function hashUpToEach(shown: readonly string[]): string[] {
  const hashes: string[] = [];
  for (const one of shown) hashes.push(hash('sha1', `${hashes.at(-1) ?? ''}${hash('sha1', one)}`, 'base64'));
  return hashes;
}

function isFetching(tool: Tool): boolean {
  if (tool.type !== 'native') return false;
  if (FORMAT_FACTS[tool.format].toolNamedBy === 'member')
    return Object.keys(tool.value).some((name) => FETCHING_MEMBER.test(name));
  const { type } = tool.value;
  return typeof type === 'string' && FETCHING_TOOL.test(type);
}

function hasFetchingField({ origin: { format, body } }: CanonicalRequest): boolean {
  return CLIENT_FACTS[format].fetchingFields.some((name) => isReported(body[name]));
}

function isReported(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}
