import type { JsonValue } from '#base';
import type { Block, CanonicalRequest, ClientFormatId, MediaBlock, MediaSource, Tool } from '#canonical';
import { TOOL_NAMED_BY } from '#canonical';

/** The size of a prompt in tokens. */
interface PromptSize {
  /**
   * No tokenizer yields more, images aside: one token per byte of text. Infinite if the provider fetches part of the
   * prompt itself (documents by URL or file, its own search tools): then only the model's context bounds it.
   */
  bound: number;
  images: number;
  /** An estimate for uses that precede the provider's count. */
  estimate: number;
}

const BYTES_PER_TOKEN = 4;
/** More than most models charge for one image (high-resolution tiles included); the catalogue has the exceptions. */
export const MOST_IMAGE_TOKENS = 8_192;
const USUAL_IMAGE_TOKENS = 1_500;
/** Providers add instructions of their own to a prompt, and more for tools. */
const FRAME_TOKENS = 64;
const TOOL_FRAME_TOKENS = 1_024;

interface Media {
  images: number;
  imageBytes: number;
  isFetched: boolean;
}

/** Tools a provider runs on its own servers; what they fetch counts as input. */
const FETCHING_TOOL = /^(?:web_|x_|code_|shell|file_search|collections_|mcp)/;
const FETCHING_MEMBER = /^(?:url_?context|file_?search|code_?execution|mcp)/i;
/** Chat's search field, in place of a tool. */
const SEARCH_FIELD = 'web_search_options';
/** Body fields that make the provider add input from elsewhere. */
const FETCHING_FIELDS: Readonly<Record<ClientFormatId, readonly string[]>> = {
  chat: [SEARCH_FIELD],
  messages: ['mcp_servers'],
  responses: [],
  gemini: ['cachedContent', 'cached_content'],
};

/** Sizes a prompt from its body's length, without reading any text. */
export function measurePrompt(request: CanonicalRequest, bodyBytes: number): PromptSize {
  const isFetched = request.tools.some(isFetching) || hasFetchingField(request);
  const media: Media = { images: 0, imageBytes: 0, isFetched };
  for (const turn of request.turns) addImages(turn.blocks, media);
  const text = Math.max(0, bodyBytes - media.imageBytes);
  const frame = FRAME_TOKENS + (request.tools.length > 0 ? TOOL_FRAME_TOKENS : 0);
  return {
    bound: media.isFetched ? Infinity : text + frame,
    images: media.images,
    estimate: Math.ceil(text / BYTES_PER_TOKEN) + media.images * USUAL_IMAGE_TOKENS,
  };
}

function addImages(blocks: readonly Block[], media: Media): void {
  for (const block of blocks) {
    if (block.type === 'tool-result') addImages(block.blocks, media);
    else if (block.type === 'media') addMedia(block, media);
  }
}

function addMedia({ kind, source }: MediaBlock, media: Media): void {
  if (kind === 'image') {
    media.images += 1;
    if ('base64' in source) media.imageBytes += source.base64.length;
  } else if ('blocks' in source) addImages(source.blocks, media);
  else media.isFetched ||= isElsewhere(source);
}

function isElsewhere(source: MediaSource): boolean {
  return 'url' in source || 'fileId' in source;
}

function isFetching(tool: Tool): boolean {
  if (tool.type !== 'native') return false;
  if (TOOL_NAMED_BY[tool.format] === 'member')
    return Object.keys(tool.value).some((name) => FETCHING_MEMBER.test(name));
  const { type } = tool.value;
  return typeof type === 'string' && FETCHING_TOOL.test(type);
}

function hasFetchingField({ origin: { format, body } }: CanonicalRequest): boolean {
  return FETCHING_FIELDS[format].some((name) => isReported(body[name]));
}

function isReported(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
}

/** Tokens of relayed text if no provider reported them: a quarter of its bytes, rounded up. */
export function estimateTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}
