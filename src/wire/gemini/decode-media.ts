import type { MediaBlock } from '#canonical';
import { readMember, requireObject, requireString, requireText } from './checks.ts';
import { isOwnFile } from './encode-media.ts';
import { normalizeMediaType } from '../media-type.ts';
import type { GeminiFileData, GeminiInlineData, GeminiMedia } from './schema.ts';
import type { Members } from '../unchecked.ts';

/** Reads `inlineData` or `fileData` of a part; nothing if it has neither. */
export function decodeMedia(part: Members<GeminiMedia>, path: string): MediaBlock | undefined {
  const inline = readMember(part, 'inlineData', (value) => requireObject(value, `${path}.inlineData`));
  if (inline) return decodeInline(inline, `${path}.inlineData`);
  const file = readMember(part, 'fileData', (value) => requireObject(value, `${path}.fileData`));
  return file && decodeFile(file, `${path}.fileData`);
}

function decodeInline(inline: Members<GeminiInlineData>, path: string): MediaBlock {
  const mediaType = normalizeMediaType(
    requireText(
      readMember(inline, 'mimeType', (value) => value),
      `${path}.mimeType`,
    ),
  );
  const base64 = requireText(inline.data, `${path}.data`);
  const title = readTitle(inline, path);
  if (mediaType.startsWith('text/')) {
    const text = Buffer.from(base64, 'base64').toString('utf8');
    return { type: 'media', kind: 'document', mediaType, source: { text }, ...title };
  }
  return { type: 'media', kind: kindOf(mediaType), mediaType, source: { base64 }, ...title };
}

/** Google's own files can only be sent to Google; any provider can read other addresses. */
function decodeFile(file: Members<GeminiFileData>, path: string): MediaBlock {
  const uri = requireText(
    readMember(file, 'fileUri', (value) => value),
    `${path}.fileUri`,
  );
  const given = readMember(file, 'mimeType', (value) => requireString(value, `${path}.mimeType`));
  const mediaType = given === undefined || given === '' ? undefined : normalizeMediaType(given);
  return {
    type: 'media',
    kind: mediaType === undefined ? 'document' : kindOf(mediaType),
    ...(mediaType !== undefined && { mediaType }),
    source: isOwnFile(uri) ? { fileId: uri, format: 'gemini' } : { url: uri },
    ...readTitle(file, path),
  };
}

function readTitle(owner: Members<{ displayName: string }>, path: string): { title?: string } {
  const title = readMember(owner, 'displayName', (value) => requireString(value, `${path}.displayName`));
  return title === undefined || title === '' ? {} : { title };
}

/** Video counts as a document: a provider that does not accept it refuses its media type. */
function kindOf(mediaType: string): MediaBlock['kind'] {
  if (mediaType.startsWith('image/')) return 'image';
  return mediaType.startsWith('audio/') ? 'audio' : 'document';
}
