import type { Dialect, MediaBlock } from '#canonical';
import { describeDocument, isTextual, listInnerMedia } from '../../media/document-text.ts';
import { refuseFeature } from '../../errors/refuse-feature.ts';
import type { Members } from '../../body/unchecked.ts';
import type { GeminiFileData, GeminiPart } from '../schema.ts';

type RawPart = Members<GeminiPart>;

const DEFAULT_TYPES: Record<MediaBlock['kind'], string> = {
  image: 'image/png',
  document: 'application/pdf',
  audio: 'audio/wav',
};
/** Media type names that other formats use and Google does not. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'audio/mpeg3': 'audio/mp3',
};
const TYPES_BY_ENDING: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  pdf: 'application/pdf',
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  webm: 'video/webm',
};
/** Addresses that Google itself can read: its Files, Cloud Storage and YouTube. */
const OWN_FILE = /^(?:gs:\/\/|https:\/\/generativelanguage\.googleapis\.com\/(?:[\w.]+\/)?files\/)/;
const YOUTUBE = /^https:\/\/(?:(?:www\.|m\.)?youtube\.com\/|youtu\.be\/)/;

export function isOwnFile(uri: string): boolean {
  return OWN_FILE.test(uri);
}

/** An image, sound or document as parts: a text document becomes text, followed by its images. */
export function encodeMedia(block: MediaBlock, dialect: Dialect): RawPart[] {
  if (!isTextual(block)) return [encodeFile(block, dialect.media)];
  const text = describeDocument(block);
  const texts = text === '' ? [] : [{ text }];
  return [...texts, ...listInnerMedia(block).flatMap((inner) => encodeMedia(inner, dialect))];
}

function encodeFile(block: MediaBlock, media: Dialect['media']): RawPart {
  const { source, kind } = block;
  if (!media[kind]) return refuseFeature(`${kind} input`, 'messages');
  const signed = block.extra?.gemini ?? {};
  if ('base64' in source) return { inlineData: { mimeType: typeOf(block), data: source.base64 }, ...signed };
  if ('fileId' in source) {
    if (source.format !== 'gemini') return refuseFeature('a file of another provider', 'messages');
    return { fileData: { ...findType(block, source.fileId), fileUri: source.fileId }, ...signed };
  }
  if (!('url' in source)) return refuseFeature(`${kind} input of this kind`, 'messages');
  const { url } = source;
  if (YOUTUBE.test(url)) return { fileData: { fileUri: url }, ...signed };
  if (!isOwnFile(url) && !media.imageUrl)
    return refuseFeature(
      `${kind} input by URL: send its bytes, a gs:// address or a file of the Files API`,
      'messages',
    );
  return { fileData: { mimeType: DEFAULT_TYPES[kind], ...findType(block, url), fileUri: url }, ...signed };
}

function typeOf({ mediaType, kind }: MediaBlock): string {
  return mediaType === undefined ? DEFAULT_TYPES[kind] : (TYPE_NAMES[mediaType] ?? mediaType);
}

function findType(block: MediaBlock, url: string): Members<GeminiFileData> {
  if (block.mediaType !== undefined) return { mimeType: typeOf(block) };
  const ending = /\.(\w{2,5})(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? '';
  const known = TYPES_BY_ENDING[ending];
  return known === undefined ? {} : { mimeType: known };
}
