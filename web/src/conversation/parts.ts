import type { Part } from './conversation.ts';
import { type Json, printJson, toText } from './json.ts';

/** Pictures that browsers draw without running anything. */
const PICTURE = /^data:image\/(png|jpeg|gif|webp);base64,[a-z0-9+/=_-]+$/i;
const LONGEST_ADDRESS = 200;

export const textPart = (text: string): Part[] => (text === '' ? [] : [{ kind: 'text', text }]);
export const thinkingPart = (text: string): Part[] => (text === '' ? [] : [{ kind: 'thinking', text }]);

/** A picture in a data URL; any other is named, never loaded. */
export function imagePart(url: string): Part {
  if (PICTURE.test(url)) return { kind: 'image', url };
  if (url.startsWith('data:')) return { kind: 'note', text: `An image of ${sizeOf(url)}` };
  return { kind: 'note', text: `An image that is not loaded from ${url.slice(0, LONGEST_ADDRESS)}` };
}

export const dataPart = (mediaType: unknown, base64: unknown): Part => {
  const [type, data] = [toText(mediaType), toText(base64)];
  return type.startsWith('image/')
    ? imagePart(`data:${type};base64,${data}`)
    : { kind: 'note', text: `A file (${type === '' ? 'of no type' : type}) of ${sizeOf(data)}` };
};

export const callPart = (call: { id: unknown; name: unknown; input: unknown }): Part => ({
  kind: 'call',
  id: toText(call.id),
  name: toText(call.name),
  input: printJson(call.input ?? {}),
});

export const resultPart = (result: { id: unknown; parts: readonly Part[]; isError?: boolean }): Part => ({
  kind: 'result',
  id: toText(result.id),
  parts: result.parts,
  isError: result.isError === true,
});

export function otherPart(value: Json): Part {
  return { kind: 'other', type: toText(value['type']) || 'unknown', text: printJson(value) };
}

const KIB = 1_024;
const BASE64_SHARE = 3 / 4;

function sizeOf(base64: string): string {
  return `${Math.max(1, Math.round((base64.length * BASE64_SHARE) / KIB))} KiB`;
}
