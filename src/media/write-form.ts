import type { JsonObject, JsonValue } from '#base';
import type { FormFile } from './contract.ts';
import { createRandomText } from '#base';

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:;\s*[\w.+-]+=[\w.+-]+)*$/;

/** A form and its content type. */
interface WrittenForm {
  contentType: string;
  body: Buffer;
}

/** Encodes values and files as `multipart/form-data`; a list becomes `name[]` once per item. */
export function writeForm(values: JsonObject, files: ReadonlyMap<string, readonly FormFile[]>): WrittenForm {
  const boundary = `sluice-${createRandomText(32)}`;
  const parts: Buffer[] = [];
  const add = (disposition: string, content: string | Buffer): void =>
    void parts.push(
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`),
      typeof content === 'string' ? Buffer.from(content) : content,
      Buffer.from('\r\n'),
    );
  for (const [name, value] of Object.entries(values)) {
    const isList = Array.isArray(value);
    for (const item of isList ? value : [value])
      if (item !== undefined) add(`name="${escape(isList ? `${name}[]` : name)}"`, toText(item));
  }
  for (const [name, list] of files) {
    const written = escape(list.length > 1 ? `${name}[]` : name);
    for (const { filename, contentType, bytes } of list)
      add(`name="${written}"; filename="${escape(filename)}"\r\nContent-Type: ${toType(contentType)}`, bytes);
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  return { contentType: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(parts) };
}

function toText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Escapes a name as browsers do. */
function escape(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function toType(contentType: string): string {
  return MEDIA_TYPE.test(contentType) ? contentType : 'application/octet-stream';
}
