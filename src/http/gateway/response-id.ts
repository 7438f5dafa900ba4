const MOST_CHARACTERS = 100;

/** The last segment of a path such as `/v1/responses/resp_1`. */
export function readResponseId(path: string): string {
  const trimmed = path.endsWith('/') ? path.slice(0, -1) : path;
  return trimmed.slice(trimmed.lastIndexOf('/') + 1).slice(0, MOST_CHARACTERS);
}
