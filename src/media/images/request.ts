import { refuse } from '#wire';
import type { FormFile, MediaInput } from '../contract.ts';
import { type Static, Type } from 'typebox';
import { type ValidatedBody, createValidator, serviceTier } from '../request-body.ts';

const MOST_IMAGES = 10;

const fields = {
  model: Type.String({ minLength: 1 }),
  prompt: Type.String({ minLength: 1 }),
  n: Type.Optional(Type.Integer({ minimum: 1, maximum: MOST_IMAGES })),
  size: Type.Optional(
    Type.String({ pattern: '^(auto|\\d{2,5}x\\d{2,5})$', description: 'For example 1024x1024, or auto.' }),
  ),
  quality: Type.Optional(Type.String()),
  background: Type.Optional(Type.String()),
  // OpenAI's other formats are excluded: svg uses a further model, and gif has up to 16 frames.
  output_format: Type.Optional(Type.Enum(['png', 'jpeg', 'webp'])),
  output_compression: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
  moderation: Type.Optional(Type.String()),
  style: Type.Optional(Type.String()),
  aspect_ratio: Type.Optional(Type.String({ description: 'Instead of a size (xAI).' })),
  response_format: Type.Optional(Type.Enum(['url', 'b64_json'])),
  stream: Type.Optional(Type.Boolean()),
  partial_images: Type.Optional(Type.Integer({ minimum: 0, maximum: 3 })),
  user: Type.Optional(Type.String()),
  safety_identifier: Type.Optional(Type.String()),
  service_tier: serviceTier,
};

const input_fidelity = Type.Optional(Type.String());

const reference = Type.Object({
  image_url: Type.Optional(Type.String()),
  file_id: Type.Optional(Type.String()),
});

/** `POST /v1/images/generations`. */
export const imagesRequestSchema = Type.Object(fields, {
  title: 'ImagesRequest',
  additionalProperties: true,
});

/** `POST /v1/images/edits`, as JSON; as a form, `image` (one or more) and `mask` are files. */
export const imageEditsRequestSchema = Type.Object(
  {
    ...fields,
    images: Type.Optional(Type.Array(reference, { minItems: 1, maxItems: 16 })),
    mask: Type.Optional(reference),
    input_fidelity,
  },
  { title: 'ImageEditsRequest', additionalProperties: true },
);

const count = Type.Integer({ minimum: 0 });

/** The answer. */
export const imagesResponseSchema = Type.Object(
  {
    created: count,
    data: Type.Array(
      Type.Object(
        { b64_json: Type.Optional(Type.String()), url: Type.Optional(Type.String()) },
        { additionalProperties: true },
      ),
    ),
    usage: Type.Optional(
      Type.Object({ input_tokens: count, output_tokens: count }, { additionalProperties: true }),
    ),
  },
  { title: 'ImagesResponse', additionalProperties: true },
);

/** The requested images: the body's fields, and the input images. */
export interface ImageRequest {
  endpoint: 'generations' | 'edits';
  fields: ValidatedBody<typeof imageEditsRequestSchema>;
  isForm: boolean;
  files: ReadonlyMap<string, readonly FormFile[]>;
  /** The number of input images. */
  inputImages: number;
}

const FILES: ReadonlySet<string> = new Set(['image', 'mask']);

const validateGeneration = createValidator(imagesRequestSchema);
const validateEdit = createValidator(imageEditsRequestSchema);
const validateForm = createValidator(
  Type.Object({ ...fields, input_fidelity }, { additionalProperties: true }),
);

export function decodeGeneration(input: MediaInput): ImageRequest {
  return {
    endpoint: 'generations',
    fields: validateGeneration(input),
    isForm: false,
    files: new Map(),
    inputImages: 0,
  };
}

export function decodeEdit(input: MediaInput): ImageRequest {
  const { files, isForm } = input;
  if (!isForm) return { endpoint: 'edits', ...decodeReferences(input), isForm, files };
  const valid = validateForm(input);
  refuseMisplaced(input);
  const inputImages = files.get('image')?.length ?? 0;
  if (inputImages === 0) refuse('image', 'is required, as a file of the form');
  return { endpoint: 'edits', fields: valid, isForm, files, inputImages };
}

function decodeReferences(input: MediaInput): Pick<ImageRequest, 'fields' | 'inputImages'> {
  const valid = validateEdit(input);
  const { images = [], mask } = valid;
  if (images.length === 0) refuse('images', 'is required');
  const empty = images.findIndex(isEmpty);
  if (empty !== -1) refuse(`images[${empty}]`, 'must have an image_url or a file_id');
  if (mask && isEmpty(mask)) refuse('mask', 'must have an image_url or a file_id');
  return { fields: valid, inputImages: images.length };
}

function isEmpty({ image_url: url, file_id: id }: Static<typeof reference>): boolean {
  return !url && !id;
}

/** Refuses text in place of a file, unknown files, empty ones, and a second mask. */
function refuseMisplaced({ body, files }: MediaInput): void {
  for (const name of Object.keys(body))
    if (/^(?:images?|mask)(?:$|\[)/.test(name))
      refuse(name, 'must be a file of the form; addresses of images can be sent as JSON');
  for (const [name, list] of files) {
    if (!FILES.has(name)) refuse(name, 'is not a known file; the files of an edit are image and mask');
    if (list.some(({ bytes }) => bytes.length === 0)) refuse(name, 'is empty');
    if (name === 'mask' && list.length > 1) refuse(name, 'must be one file');
  }
}
