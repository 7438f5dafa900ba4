import { type Static, type TObject, type TSchema, Type } from 'typebox';
import type { JsonObject, JsonValue } from '#base';
import { checkUrl } from '../media/data-url.ts';
import { objectOf } from '../body/read-answer.ts';
import { isPresent, itemsOf } from '../body/read-field.ts';
import { type SchemaFault, lenient, lenientObject, noted } from '../body/schema-notes.ts';
import { callArguments, contentOf, textContentOf } from '../body/openai-schema.ts';
import { maybe, nullable, open, turnCount, words } from '../body/schema-parts.ts';
import { name, toolList } from './tool-schema.ts';

// The items of the format and their parts.

const lenientText = Type.Optional(lenient(nullable(Type.String())));

const cacheMark = {
  prompt_cache_breakpoint: Type.Optional(
    lenientObject(
      nullable(Type.Object({ mode: lenient(Type.Literal('explicit')), ttl: maybe(words('30m', '12h')) })),
    ),
  ),
  cache_control: Type.Optional(
    lenientObject(
      nullable(Type.Object({ type: lenient(Type.Literal('ephemeral')), ttl: maybe(words('5m', '1h')) })),
    ),
  ),
};

const textPart = Type.Object(
  { type: words('input_text', 'output_text'), text: Type.String(), ...cacheMark },
  { ...open, title: 'ResponsesTextPart' },
);
const refusalPart = Type.Object(
  { type: Type.Literal('refusal'), refusal: Type.String(), ...cacheMark },
  { ...open, title: 'ResponsesRefusalPart' },
);
const imageFields = {
  type: Type.Literal('input_image'),
  detail: Type.Optional(lenient(words('low', 'high', 'auto', 'original'))),
  ...cacheMark,
};
const url = Type.String({ minLength: 1, description: 'An address or a data URL.' });
const imageByUrl = Type.Object(
  { ...imageFields, image_url: noted(url, { rule: checkUrl }), file_id: Type.Optional(Type.Null()) },
  { ...open, title: 'ResponsesImageByUrl' },
);
const imageById = Type.Object(
  { ...imageFields, file_id: name, image_url: lenientText },
  { ...open, title: 'ResponsesImageById' },
);
const fileFields = { type: Type.Literal('input_file'), filename: lenientText, ...cacheMark };
const none = Type.Optional(Type.Null());
const fileById = Type.Object({ ...fileFields, file_id: name }, { ...open, title: 'ResponsesFileById' });
const fileByUrl = Type.Object(
  { ...fileFields, file_url: name, file_id: none },
  { ...open, title: 'ResponsesFileByUrl' },
);
const fileByData = Type.Object(
  {
    ...fileFields,
    file_data: noted(Type.String({ minLength: 1, description: 'A data URL.' }), { rule: checkUrl }),
    file_id: none,
    file_url: none,
  },
  { ...open, title: 'ResponsesFileByData' },
);
const audioPart = Type.Object(
  {
    type: Type.Literal('input_audio'),
    input_audio: Type.Object({ data: name, format: name }),
    ...cacheMark,
  },
  { ...open, title: 'ResponsesAudioPart' },
);
const part = noted(
  Type.Union([textPart, imageByUrl, imageById, fileById, fileByUrl, fileByData, audioPart, refusalPart]),
  { select: selectPart },
);

function selectPart({ type, file_id: id, file_url: address }: JsonObject): number | SchemaFault {
  switch (type) {
    case 'input_text':
    case 'output_text':
      return 0;
    case 'input_image':
      return isPresent(id) ? 2 : 1;
    case 'input_file':
      return isPresent(id) ? 3 : isPresent(address) ? 4 : 5;
    case 'input_audio':
      return 6;
    case 'refusal':
      return 7;
    default:
      return {
        steps: ['type'],
        complaint: 'must be one of input_text, input_image, input_file, input_audio, output_text, refusal',
      };
  }
}

const content = contentOf(part);
const textOnly = noted(Type.Union(part.anyOf), { select: selectPart, rule: refuseMedia });
const textContent = textContentOf(Type.Union([textPart, refusalPart]), textOnly);

function refuseMedia(value: JsonValue): SchemaFault | undefined {
  const { type } = value as ResponsesPart;
  const isText = type === 'input_text' || type === 'output_text' || type === 'refusal';
  return isText ? undefined : { steps: ['type'], complaint: 'must be input_text here' };
}

const itemId = { id: lenientText };
const messageFields = { type: maybe(Type.Literal('message')), phase: lenientText, ...itemId };
const message = Type.Object(
  { ...messageFields, role: words('user', 'assistant'), content },
  { ...open, title: 'ResponsesMessage' },
);
const instructions = Type.Object(
  { ...messageFields, role: words('system', 'developer'), content: textContent },
  open,
);
const callFields = { call_id: name, name, namespace: maybe(name), ...itemId };
const functionCall = Type.Object(
  { type: Type.Literal('function_call'), ...callFields, arguments: maybe(callArguments) },
  { ...open, title: 'ResponsesFunctionCall' },
);
const customCall = Type.Object(
  { type: Type.Literal('custom_tool_call'), ...callFields, input: Type.String() },
  { ...open, title: 'ResponsesCustomCall' },
);
const callOutput = Type.Object(
  { type: words('function_call_output', 'custom_tool_call_output'), call_id: name, output: maybe(content) },
  { ...open, title: 'ResponsesCallOutput' },
);
const listTexts = <Word extends string>(type: Word) =>
  maybe(Type.Array(Type.Object({ type: lenient(Type.Literal(type)), text: Type.String() }, open)));
const reasoningFields = {
  type: Type.Literal('reasoning'),
  summary: listTexts('summary_text'),
  encrypted_content: maybe(
    Type.String({ description: 'Sent only to the provider that encrypted or signed it.' }),
  ),
  ...itemId,
};
const shownReasoning = Type.Object({ ...reasoningFields, content: listTexts('reasoning_text') }, open);
/** Its content is not read if there is a summary. */
const summedReasoning = Type.Object(reasoningFields, open);
const reasoningItem = noted(Type.Object(shownReasoning.properties, open), {
  like: (): TSchema =>
    noted(Type.Union([shownReasoning, summedReasoning]), {
      select: ({ summary }) => (itemsOf(summary).some((one) => objectOf(one)['text'] !== '') ? 1 : 0),
    }),
});
const imageCall = Type.Object(
  {
    type: Type.Literal('image_generation_call'),
    result: Type.Optional(lenient(nullable(Type.String({ description: 'Base64.' })))),
    output_format: Type.Optional(lenient(Type.String())),
    ...itemId,
  },
  open,
);
const addedTools = Type.Object(
  { type: Type.Literal('additional_tools'), tools: toolList },
  { ...open, title: 'ResponsesAdditionalTools' },
);
const foundTools = Type.Object(
  { type: Type.Literal('tool_search_output'), tools: maybe(toolList) },
  { ...open, title: 'ResponsesToolSearchOutput' },
);
const nativeItem = Type.Object(
  {
    type: Type.String({
      minLength: 1,
      description: 'Any other item of the format; sent to upstreams of this format only.',
    }),
  },
  open,
);

const knownItem = Type.Union([
  message,
  instructions,
  functionCall,
  customCall,
  callOutput,
  reasoningItem,
  imageCall,
  addedTools,
]);
const item = noted(Type.Union([...knownItem.anyOf, foundTools, nativeItem]), { select: selectItem });

const ITEMS = new Map<unknown, number>([
  ['function_call', 2],
  ['custom_tool_call', 3],
  ['function_call_output', 4],
  ['custom_tool_call_output', 4],
  ['reasoning', 5],
  ['image_generation_call', 6],
  ['additional_tools', 7],
  ['tool_search_output', 8],
]);
const NATIVE = 9;

/** Easy messages and references to stored items have no type. */
function selectItem({ type, role, id }: JsonObject): number | SchemaFault {
  const known = ITEMS.get(type);
  if (known !== undefined) return known;
  if (type === 'message' || (!isPresent(type) && role !== undefined)) return selectMessage(role);
  if (type === 'item_reference' || (!isPresent(type) && typeof id === 'string'))
    return { steps: [], complaint: 'refers to an item this gateway has not stored; send the item itself' };
  if (isPresent(type)) return NATIVE;
  return { steps: ['type'], complaint: 'expected the type of an item, such as message' };
}

function selectMessage(role: JsonValue | undefined): number | SchemaFault {
  if (role === 'user' || role === 'assistant') return 0;
  if (role === 'system' || role === 'developer') return 1;
  return { steps: ['role'], complaint: 'must be one of user, assistant, system, developer' };
}

const items = noted(Type.Array(item, turnCount), {
  tooMany: (most) => `at most ${most} items are accepted`,
});
/** The conversation of a request. */
export const inputSchema = noted(Type.Union([name, items]), { expected: 'a string or an array' });

export type ResponsesItem = Static<typeof item>;
export type ResponsesKnownItem = Static<typeof knownItem>;
/** Items that add tools to the conversation. */
export type ResponsesToolItem = Static<typeof addedTools> | Static<typeof foundTools>;
export type ResponsesMessage = Static<typeof message> | Static<typeof instructions>;
export type ResponsesFilePart = Static<typeof fileById | typeof fileByUrl | typeof fileByData>;
export type ResponsesImage = Static<typeof imageByUrl> | Static<typeof imageById>;
export type ResponsesContent = Static<typeof content>;
export type ResponsesPart = Static<typeof part>;
/** Objects that may have a prompt-cache mark. */
export type ResponsesMarked = Static<TObject<typeof cacheMark>>;
export type ResponsesImagePart = Static<typeof imageByUrl>;
