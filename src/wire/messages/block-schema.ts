import { type Static, type TSchema, Type } from 'typebox';
import { lenient, noted } from '../body/schema-notes.ts';
import { anyObject, maybe, nullable, open, words } from '../body/schema-parts.ts';

// The blocks of the format, of requests and of answers.

export const cacheControl = Type.Object(
  {
    type: noted(words('ephemeral'), { like: (): TSchema => Type.String() }),
    ttl: noted(maybe(words('5m', '1h')), { like: (): TSchema => maybe(Type.String()) }),
  },
  { title: 'MessagesCacheControl', description: 'A prompt-cache breakpoint after this block or tool.' },
);

export const marked = { cache_control: maybe(cacheControl) };

const citation = Type.Object(
  {
    type: Type.String(),
    url: Type.Optional(Type.String()),
    title: maybe(Type.String()),
    cited_text: Type.Optional(Type.String()),
    encrypted_index: Type.Optional(Type.String()),
  },
  { ...open, title: 'MessagesCitation' },
);
const textBlock = Type.Object(
  {
    type: Type.Literal('text'),
    text: Type.String(),
    citations: Type.Optional(lenient(nullable(Type.Array(citation)))),
    ...marked,
  },
  { ...open, title: 'MessagesTextBlock' },
);
const base64Source = Type.Object(
  { type: Type.Literal('base64'), data: Type.String({ description: 'Base64.' }), media_type: Type.String() },
  { ...open, title: 'MessagesBase64Source' },
);
const urlSource = Type.Object(
  { type: Type.Literal('url'), url: Type.String() },
  { ...open, title: 'MessagesUrlSource' },
);
const fileSource = Type.Object(
  { type: Type.Literal('file'), file_id: Type.String() },
  { ...open, title: 'MessagesFileSource' },
);
const textSource = Type.Object(
  { type: Type.Literal('text'), data: Type.String(), media_type: maybe(Type.String()) },
  { ...open, title: 'MessagesTextSource' },
);
const otherSource = Type.Object({ type: Type.String() }, open);
const labels = { title: maybe(Type.String()), context: maybe(Type.String()) };
const imageBlock = Type.Object(
  {
    type: Type.Literal('image'),
    source: noted(Type.Union([base64Source, urlSource, fileSource]), { like: (): TSchema => source }),
    ...marked,
  },
  { ...open, title: 'MessagesImageBlock' },
);
const simpleContent = noted(Type.Union([Type.String(), Type.Array(Type.Union([textBlock, imageBlock]))]), {
  like: (): TSchema => content,
});
const contentSource = Type.Object(
  { type: Type.Literal('content'), content: simpleContent },
  { ...open, title: 'MessagesContentSource' },
);
const knownSource = Type.Union([base64Source, urlSource, fileSource, textSource, contentSource]);
const source = Type.Union([...knownSource.anyOf, otherSource]);
const documentBlock = Type.Object(
  {
    type: Type.Literal('document'),
    source,
    ...labels,
    citations: Type.Optional(lenient(nullable(anyObject))),
    ...marked,
  },
  { ...open, title: 'MessagesDocumentBlock' },
);
/** Anthropic's images have no labels, but those of callers are kept. */
const labelledImage = Type.Object({ ...imageBlock.properties, ...labels }, open);
const searchResultBlock = Type.Object(
  {
    type: Type.Literal('search_result'),
    title: Type.String(),
    source: Type.String(),
    content: noted(Type.Array(textBlock), { like: (): TSchema => blocks }),
    citations: Type.Optional(lenient(nullable(anyObject))),
    ...marked,
  },
  { ...open, title: 'MessagesSearchResultBlock' },
);
const thinkingBlock = Type.Object(
  { type: Type.Literal('thinking'), thinking: Type.String(), signature: maybe(Type.String()), ...marked },
  { ...open, title: 'MessagesThinkingBlock' },
);
const redactedBlock = Type.Object(
  { type: Type.Literal('redacted_thinking'), data: Type.String(), ...marked },
  { ...open, title: 'MessagesRedactedBlock' },
);
const toolUseBlock = Type.Object(
  {
    type: Type.Literal('tool_use'),
    id: Type.String(),
    name: Type.String(),
    input: anyObject,
    caller: Type.Optional(
      lenient(
        Type.Object(
          { type: Type.String() },
          { ...open, description: 'What made the call; `direct` is the model.' },
        ),
      ),
    ),
    ...marked,
  },
  { ...open, title: 'MessagesToolUseBlock' },
);
const toolReferenceBlock = Type.Object(
  { type: Type.Literal('tool_reference'), tool_name: Type.String(), ...marked },
  { ...open, title: 'MessagesToolReferenceBlock' },
);
const otherBlock = Type.Object(
  { type: Type.String(), ...marked },
  { ...open, description: 'Blocks of other types are carried as they are.' },
);
const resultContent = noted(
  Type.Union([
    Type.String(),
    Type.Array(
      Type.Union([textBlock, imageBlock, documentBlock, searchResultBlock, toolReferenceBlock, otherBlock]),
    ),
  ]),
  { like: (): TSchema => content },
);
const toolResultBlock = Type.Object(
  {
    type: Type.Literal('tool_result'),
    tool_use_id: Type.String(),
    content: maybe(resultContent),
    is_error: maybe(Type.Boolean()),
    ...marked,
  },
  { ...open, title: 'MessagesToolResultBlock' },
);
const knownBlock = Type.Union([
  textBlock,
  labelledImage,
  documentBlock,
  searchResultBlock,
  thinkingBlock,
  redactedBlock,
  toolUseBlock,
  toolResultBlock,
]);
const block = Type.Union([...knownBlock.anyOf, otherBlock], {
  description: 'A content block of the Messages API.',
});
const blocks = Type.Array(block);

/** A block of an answer. */
export const answerBlock = Type.Union([
  textBlock,
  thinkingBlock,
  redactedBlock,
  toolUseBlock,
  imageBlock,
  otherBlock,
]);

const CONTENT = 'must be a string or an array of blocks';
export const content = noted(Type.Union([Type.String(), blocks]), { complaint: CONTENT });
export const systemContent = noted(
  Type.Union([Type.String(), Type.Array(Type.Union([textBlock, otherBlock]))]),
  {
    like: (): TSchema => content,
  },
);

export type MessagesContent = Static<typeof content>;
/** A block that is decoded; any other is carried as it is. */
export type MessagesKnownBlock = Static<typeof knownBlock>;
export type MessagesBlock = Static<typeof block> | Static<typeof toolReferenceBlock>;
export type MessagesCitation = Static<typeof citation>;
export type MessagesSource = Static<typeof source>;
export type MessagesKnownSource = Static<typeof knownSource>;
export type MessagesCacheControl = Static<typeof cacheControl>;
