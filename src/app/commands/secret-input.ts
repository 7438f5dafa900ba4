import type { Readable } from 'node:stream';
import { readVariablesFromFiles } from '../settings/file/secret-file.ts';

const VARIABLE = 'SLUICE_PROVIDER_KEY';
const MOST_BYTES = 64 * 1024;

/** The source of a secret: never an argument, which other users of the machine can see. */
interface SecretSource {
  keyStdin?: boolean;
  /** The name of a variable. */
  keyEnv?: string;
}

/** Reads a secret from standard input, the environment or the file that `<NAME>_FILE` names; undefined if neither has one. */
export async function readSecretInput(
  { keyStdin, keyEnv }: SecretSource,
  {
    stdin = process.stdin,
    environment = process.env,
  }: { stdin?: Readable; environment?: NodeJS.ProcessEnv } = {},
): Promise<string | undefined> {
  if (keyStdin === true) return readAll(stdin);
  const value = readVariablesFromFiles(environment)[keyEnv ?? VARIABLE];
  if (keyEnv !== undefined && !value)
    throw new Error(`the variable ${keyEnv} is not set; set it, or name another`);
  return value || undefined;
}

async function readAll(stdin: Readable): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stdin) {
    const bytes = Buffer.from(part as Uint8Array);
    size += bytes.length;
    if (size > MOST_BYTES) throw new Error('standard input is too long for a key; send the key alone');
    parts.push(bytes);
  }
  return Buffer.concat(parts).toString('utf8').trim();
}
