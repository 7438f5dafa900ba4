import type { Attachment } from './compose-request.ts';

export const IMAGES: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
export const PDF = 'application/pdf';

/** A file as it is sent: images and PDFs as data URLs, any other as its text. */
export async function readFile(file: File): Promise<Attachment> {
  const { name, type } = file;
  if (IMAGES.includes(type)) return { name, kind: 'image', data: await toDataUrl(file) };
  if (type === PDF) return { name, kind: 'file', data: await toDataUrl(file) };
  return { name, kind: 'text', data: await file.text() };
}

function toDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(typeof reader.result === 'string' ? reader.result : '');
    reader.onerror = () => reject(reader.error ?? new Error('the file cannot be read'));
    reader.readAsDataURL(file);
  });
}
