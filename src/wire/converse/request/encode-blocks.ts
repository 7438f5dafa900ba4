import type { Block, MediaBlock, NativeBlock, ReasoningBlock } from '#canonical';
import { describeNative } from '../../request/describe-result.ts';
import { describeDocument, isTextual, listInnerMedia } from '../../media/document-text.ts';
import { type CacheableEntry, markLast } from './cache-marks.ts';
import { refuseFeature } from '../../errors/refuse-feature.ts';
import type { Members } from '../../body/unchecked.ts';
import type { EncodeContext } from './encode-context.ts';
import type { ConverseBlock, ConverseDocumentFormat, ConverseImageFormat } from '../schema.ts';

type RawBlock = Members<ConverseBlock>;

const IMAGE_FORMATS = new Map<string, ConverseImageFormat>([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  ['image/jpg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);

const DOCUMENT_FORMATS = new Map<string, ConverseDocumentFormat>([
  ['application/pdf', 'pdf'],
  ['text/csv', 'csv'],
  ['application/msword', 'doc'],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'docx'],
  ['application/vnd.ms-excel', 'xls'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
  ['text/html', 'html'],
  ['text/plain', 'txt'],
  ['text/markdown', 'md'],
]);

/**
 * Adds a block as content; tool calls and results are paired elsewhere. A dropped block passes its cache mark to the
 * block before it, or returns it if there is none.
 */
export function addBlock(entries: CacheableEntry[], block: Block, context: EncodeContext): Block['cache'] {
  for (const encoded of encodeBlock(block, context)) entries.push({ block: encoded });
  return block.cache && !markLast(entries, block.cache) ? block.cache : undefined;
}

function encodeBlock(block: Block, context: EncodeContext): RawBlock[] {
  switch (block.type) {
    case 'text':
      return encodeText(block.text);
    case 'reasoning':
      return encodeReasoning(block, context);
    case 'media':
      return encodeMedia(block, context);
    case 'native':
      return encodeNative(block);
    case 'tool-call':
    case 'tool-result':
      return [];
  }
}

function encodeText(text: string): RawBlock[] {
  return text.trim() === '' ? [] : [{ text }];
}

function encodeNative(block: NativeBlock): RawBlock[] {
  return block.format === 'converse' ? [block.value] : encodeText(describeNative(block));
}

/** A model accepts the reasoning it signed; plain reasoning only if its dialect allows it. */
function encodeReasoning(block: ReasoningBlock, { target: { dialect } }: EncodeContext): RawBlock[] {
  const isOwn = block.issuer === dialect.issuer;
  if (isOwn && block.redacted) return [{ reasoningContent: { redactedContent: block.redacted } }];
  const { text, signature } = block;
  if (isOwn && signature) return [{ reasoningContent: { reasoningText: { text, signature } } }];
  const isPlain = block.signature === undefined && block.redacted === undefined && text.trim() !== '';
  const mayReturn = isPlain && dialect.reasoningReplay !== 'none';
  return mayReturn ? [{ reasoningContent: { reasoningText: { text } } }] : [];
}

function encodeMedia(block: MediaBlock, context: EncodeContext): RawBlock[] {
  const { source } = block;
  if (isTextual(block))
    return [
      ...encodeText(describeDocument(block)),
      ...listInnerMedia(block).flatMap((inner) => encodeMedia(inner, context)),
    ];
  if (!('base64' in source)) return refuseFeature(`${block.kind}s by URL or file id`, 'messages');
  const { media } = context.target.dialect;
  if (block.kind === 'image' && media.image)
    return [{ image: { format: formatOf(block, IMAGE_FORMATS), source: { bytes: source.base64 } } }];
  if (block.kind === 'document' && media.document) return encodeDocument(block, source.base64, context);
  return refuseFeature(block.kind === 'audio' ? 'audio' : `${block.kind}s`, 'messages');
}

function encodeDocument(block: MediaBlock, bytes: string, { documents }: EncodeContext): RawBlock[] {
  const format = formatOf({ mediaType: 'application/pdf', ...block }, DOCUMENT_FORMATS);
  const document: RawBlock['document'] = { format, name: documents.create(block.title), source: { bytes } };
  return [...encodeText(block.context ?? ''), { document }];
}

function formatOf<Format>(
  { kind, mediaType = 'image/png' }: MediaBlock,
  formats: ReadonlyMap<string, Format>,
): Format {
  const format = formats.get(mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  return format ?? refuseFeature(`${kind}s of the type ${mediaType}`, 'messages');
}
