import { CLIENT_FORMATS, type ClientFormatId, TEXT_ENDPOINTS } from '#canonical';

/** The format of an endpoint that generates text. */
export function findFormat(endpoint: string): ClientFormatId | undefined {
  return CLIENT_FORMATS.find((format) => TEXT_ENDPOINTS[format].includes(endpoint));
}
