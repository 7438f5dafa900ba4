/** Reads a whole body; throws an Error that begins with its name once it is larger than allowed. */
export async function readBounded(
  body: AsyncIterable<Buffer>,
  { name, mostBytes }: { name: string; mostBytes: number },
): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > mostBytes) throw new Error(`${name} is larger than ${mostBytes} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
