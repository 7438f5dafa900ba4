/** A part of a path without its percent signs; one that is encoded wrongly stays as it is. */
export function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
