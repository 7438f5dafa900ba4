/** Whether a client takes an encoding, by its `accept-encoding`. */
export function acceptsEncoding(accepted: string | string[] | undefined, name: 'br' | 'gzip'): boolean {
  return new RegExp(`\\b${name}\\b(?!;\\s*q=0)`).test(String(accepted ?? ''));
}
