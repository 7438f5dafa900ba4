import { GATEWAY } from '../api/client.ts';
import type { LogLine } from '../api/log-line.ts';

/** The same request again; the key is read from the environment of the person who sends it. */
export function toCurl({ endpoint, requested_model: model, stream }: LogLine, body: string): string {
  const address = GATEWAY + endpoint.replace('{model}', () => encodeURIComponent(model));
  return [
    `curl${stream ? ' -N' : ''} ${quote(address)} \\`,
    '  -H "authorization: Bearer $SLUICE_API_KEY" \\',
    "  -H 'content-type: application/json' \\",
    `  -d ${quote(body)}`,
  ].join('\n');
}

/** A word for a POSIX shell. */
export const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
