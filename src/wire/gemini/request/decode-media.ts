import type { MediaBlock } from '#canonical';
import { normalizeMediaType } from '../../media/media-type.ts';
import { isOwnFile } from './encode-media.ts';
import { findMember } from '../members.ts';
import type { GeminiFileData, GeminiInlineData, GeminiMedia } from '../schema.ts';

/** Reads `inlineData` or `fileData` of a part; nothing if it has neither. */
export function decodeMedia(part: GeminiMedia): MediaBlock | undefined {
  const inline = findMember(part, 'inlineData');
  if (inline) return decodeInline(inline);
  const file = findMember(part, 'fileData');
  return file && decodeFile(file);
}

function decodeInline(inline: GeminiInlineData): MediaBlock {
  const mediaType = normalizeMediaType(findMember(inline, 'mimeType') ?? '');
  const { data: base64 } = inline;
  const isText = mediaType.startsWith('text/');
  return {
    type: 'media',
    kind: isText ? 'document' : kindOf(mediaType),
    mediaType,
    source: isText ? { text: Buffer.from(base64, 'base64').toString('utf8') } : { base64 },
    ...readTitle(inline),
  };
}

/** Google's own files can only be sent to Google; any provider can read other addresses. */
function decodeFile(file: GeminiFileData): MediaBlock {
  const uri = findMember(file, 'fileUri') ?? '';
  const given = findMember(file, 'mimeType');
  const mediaType = given ? normalizeMediaType(given) : undefined;
  return {
    type: 'media',
    kind: mediaType === undefined ? 'document' : kindOf(mediaType),
    ...(mediaType !== undefined && { mediaType }),
    source: isOwnFile(uri) ? { fileId: uri, format: 'gemini' } : { url: uri },
    ...readTitle(file),
  };
}

function readTitle(owner: GeminiInlineData | GeminiFileData): { title?: string } {
  const title = findMember(owner, 'displayName');
  return title ? { title } : {};
}

/** Video counts as a document: a provider that does not accept it refuses its media type. */
function kindOf(mediaType: string): MediaBlock['kind'] {
  if (mediaType.startsWith('image/')) return 'image';
  return mediaType.startsWith('audio/') ? 'audio' : 'document';
}
