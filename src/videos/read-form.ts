/** A file of a form. */
export interface FormFile {
  mediaType: string;
  bytes: Buffer;
}

/** What a `multipart/form-data` body holds: texts by name, and files by name. */
export interface Form {
  texts: ReadonlyMap<string, string>;
  files: ReadonlyMap<string, FormFile>;
}

const MOST_PARTS = 64;
const MOST_HEAD = 8_192;

/** Reads a form; `undefined` where it is none. */
export function readForm(body: Buffer, contentType: string): Form | undefined {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]{1,100})"|([^\s;"]{1,100}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) return undefined;
  const texts = new Map<string, string>();
  const files = new Map<string, FormFile>();
  const parts = splitParts(body, `--${boundary}`);
  for (const part of parts ?? []) {
    const end = part.subarray(0, MOST_HEAD).indexOf('\r\n\r\n');
    const head = part.toString('utf8', 0, Math.max(0, end));
    const [, name] = /;\s*name="([^"]*)"/i.exec(head) ?? [];
    if (end === -1 || name === undefined) return undefined;
    const bytes = part.subarray(end + 4);
    if (/;\s*filename\*?=/i.test(head)) files.set(name, { mediaType: readType(head), bytes });
    else texts.set(name, bytes.toString('utf8'));
  }
  return parts && { texts, files };
}

function readType(head: string): string {
  return /^content-type:\s*([^\s;]+)/im.exec(head)?.[1]?.toLowerCase() ?? 'application/octet-stream';
}

/** What stands between the boundaries; a body that does not end in one was cut. */
function splitParts(body: Buffer, mark: string): Buffer[] | undefined {
  const parts: Buffer[] = [];
  let at = body.indexOf(mark);
  while (at !== -1 && parts.length <= MOST_PARTS) {
    const start = at + mark.length;
    if (body.toString('latin1', start, start + 2) === '--') return parts;
    at = body.indexOf(`\r\n${mark}`, start);
    if (at === -1) return undefined;
    parts.push(body.subarray(start + 2, at));
    at += 2;
  }
  return undefined;
}
