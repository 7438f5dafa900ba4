import { type Static, type TObject, Type } from 'typebox';
import { lenient, noted } from '../body/schema-notes.ts';
import { checkDataUrl, checkUrl } from '../media/data-url.ts';
import { maybe, open, words } from '../body/schema-parts.ts';

// The parts of messages (schema.ts has the rest of the format).

const cacheBreakpoint = Type.Object(
  { mode: lenient(Type.Literal('explicit')), ttl: maybe(words('30m', '12h')) },
  { title: 'ChatCacheBreakpoint' },
);
const cacheControl = Type.Object(
  { type: Type.Literal('ephemeral'), ttl: maybe(words('5m', '1h')) },
  { title: 'ChatCacheControl' },
);
export const cacheMarks = {
  prompt_cache_breakpoint: maybe(cacheBreakpoint),
  cache_control: maybe(cacheControl),
};
export const text = Type.String({ minLength: 1 });

export const textPart = Type.Object(
  { type: Type.Literal('text'), text: Type.String(), ...cacheMarks },
  { ...open, title: 'ChatTextPart' },
);
export const refusalPart = Type.Object(
  { type: Type.Literal('refusal'), refusal: Type.String(), ...cacheMarks },
  { ...open, title: 'ChatRefusalPart' },
);
const imagePart = Type.Object(
  {
    type: Type.Literal('image_url'),
    image_url: Type.Object({
      url: noted(Type.String({ minLength: 1 }), { rule: checkUrl }),
      detail: Type.Optional(lenient(Type.String())),
    }),
    ...cacheMarks,
  },
  { ...open, title: 'ChatImagePart' },
);
const audioPart = Type.Object(
  {
    type: Type.Literal('input_audio'),
    input_audio: Type.Object({ data: text, format: text }),
    ...cacheMarks,
  },
  { ...open, title: 'ChatAudioPart' },
);
const filename = Type.Optional(lenient(Type.String()));
const fileById = Type.Object({ file_id: Type.String(), filename });
const fileByData = Type.Object({
  file_data: noted(Type.String({ minLength: 1 }), { rule: checkDataUrl }),
  filename,
});
const file = noted(Type.Union([fileById, fileByData]), {
  select: ({ file_id: id }) => (typeof id === 'string' ? 0 : 1),
});
const filePart = Type.Object(
  { type: Type.Literal('file'), file, ...cacheMarks },
  { ...open, title: 'ChatFilePart' },
);
export const part = Type.Union([textPart, imagePart, audioPart, filePart, refusalPart]);

export type ChatPart = Static<typeof part>;
export type ChatImagePart = Static<typeof imagePart>;
export type ChatFile = Static<typeof file>;
/** Objects that may have a prompt-cache mark. */
export type ChatMarked = Static<TObject<typeof cacheMarks>>;
