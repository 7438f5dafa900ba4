import type { Block, CacheMark, MediaBlock, MediaSource, NativeBlock } from './block.ts';
import type { CanonicalRequest, Turn } from './request.ts';

/** What the instructions and turns of a request contain, besides text. */
export interface Contents {
  /** Also documents in the body: providers bill the pages of a PDF as images, and read images that are sent as files. */
  images: number;
  /** Characters of the images in the body; those elsewhere have none. */
  imageBytes: number;
  /** Documents in the body, as base64. */
  documents: string[];
  /** Recordings in the body, as base64. */
  recordings: string[];
  /** Images and recordings in their order: as base64, or where they are. */
  shown: string[];
  /** Whether the provider fetches a document itself, by URL or file. */
  isFetched: boolean;
  /** Media other than images. */
  hasAudio: boolean;
  /** Whether a part is to be cached for longer than usual. */
  isMarkedLong: boolean;
  /** Calls of custom tools. */
  hasCustomCalls: boolean;
  /** Media in turns of the model. */
  hasOwnMedia: boolean;
  /** The native blocks of turns, in order. */
  natives: NativeBlock[];
}

const KNOWN = new WeakMap<Turn[], Contents>();

/** Summarizes a request in one walk, the first time it is asked for; copies with the same turns share it. */
export function contentsOf({ system, turns }: Pick<CanonicalRequest, 'system' | 'turns'>): Contents {
  const known = KNOWN.get(turns);
  if (known) return known;
  const contents = summarize(system, turns);
  KNOWN.set(turns, contents);
  return contents;
}

/** Whether a cache mark lasts longer than the provider's usual time. */
export function isLongMark(mark: CacheMark | undefined): boolean {
  return mark?.ttl === '1h' || mark?.ttl === '12h';
}

function summarize(system: readonly Block[], turns: readonly Turn[]): Contents {
  const contents: Contents = {
    images: 0,
    imageBytes: 0,
    documents: [],
    recordings: [],
    shown: [],
    isFetched: false,
    hasAudio: false,
    isMarkedLong: false,
    hasCustomCalls: false,
    hasOwnMedia: false,
    natives: [],
  };
  addBlocks(contents, system);
  for (const { role, blocks } of turns) {
    addBlocks(contents, blocks);
    for (const block of blocks) {
      if (block.type === 'native') contents.natives.push(block);
      else if (block.type === 'tool-call') contents.hasCustomCalls ||= block.custom === true;
      else if (block.type === 'media') contents.hasOwnMedia ||= role === 'assistant';
    }
  }
  return contents;
}

/** What also counts inside of results and documents. */
function addBlocks(contents: Contents, blocks: readonly Block[]): void {
  for (const block of blocks) {
    contents.isMarkedLong ||= isLongMark(block.cache);
    if (block.type === 'tool-result') addBlocks(contents, block.blocks);
    else if (block.type === 'media') addMedia(contents, block);
    else if (block.type === 'native') {
      addDocuments(contents, block.documents);
      addPictures(contents, block.pictures);
    }
  }
}

function addDocuments(contents: Contents, documents: readonly string[] = []): void {
  contents.images += documents.length;
  for (const base64 of documents) contents.documents.push(base64);
}

function addPictures(contents: Contents, pictures: readonly string[] = []): void {
  contents.images += pictures.length;
  for (const picture of pictures) {
    contents.shown.push(picture);
    contents.imageBytes += picture.length;
  }
}

function addMedia(contents: Contents, { kind, source }: MediaBlock): void {
  contents.hasAudio ||= kind !== 'image';
  if (kind === 'image') {
    contents.images += 1;
    contents.shown.push(nameSource(source));
    if ('base64' in source) contents.imageBytes += source.base64.length;
  } else if ('blocks' in source) addBlocks(contents, source.blocks);
  else if ('base64' in source) {
    if (kind === 'document') addDocuments(contents, [source.base64]);
    else {
      contents.recordings.push(source.base64);
      contents.shown.push(source.base64);
    }
  } else contents.isFetched ||= 'url' in source || 'fileId' in source;
}

function nameSource(source: MediaSource): string {
  if ('base64' in source) return source.base64;
  if ('url' in source) return source.url;
  return 'fileId' in source ? source.fileId : '';
}
