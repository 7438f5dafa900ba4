import type { Equivalent } from './equivalents.ts';

/** Those of the formats of the wire that `equivalents.ts` has no room for. */
export const WIRE_EQUIVALENTS: readonly Equivalent[] = [
  {
    path: 'src/wire/messages/request/decode-headers.ts',
    before: "const [first = ''] = version.split(',', 1);",
    after: "const [first = ''] = version.split(',', (1 + 1));",
    reason: 'only the first part is read, and the limit bounds the work of splitting',
  },
  {
    path: 'src/wire/converse/request/encode-blocks.ts',
    before: "const format = formats.get(mediaType.split(';', 1)[0]?.trim().toLowerCase() ?? '');",
    after: "const format = formats.get(mediaType.split(';', (1 + 1))[0]?.trim().toLowerCase() ?? '');",
    reason: 'only the first part is read, and the limit bounds the work of splitting',
  },
  {
    path: 'src/wire/converse/answer/failure.ts',
    before: "const type = value.split(':', 1)[0]?.split('#').at(-1)?.trim() ?? '';",
    after: "const type = value.split(':', (1 + 1))[0]?.split('#').at(-1)?.trim() ?? '';",
    reason: 'only the first part is read, and the limit bounds the work of splitting',
  },
];
