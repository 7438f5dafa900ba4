import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { reasonOf } from '#base';
import {
  createSigningKey,
  loadSourceFiles,
  nameKey,
  parseFeed,
  readSigningKey,
  renderFeed,
  signFeed,
} from '#catalogue';
import { catalogueDirectory } from '../settings/package.ts';

/** Writes a new private key to a file that does not exist yet; returns the public one. */
export function createKeyFile(path: string): string {
  if (existsSync(path)) throw new Error(`${path} exists; name a file that does not, so that no key is lost`);
  const pem = createSigningKey();
  try {
    writeFileSync(path, pem, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new Error(`the key was not written: ${reasonOf(error)}`, { cause: error });
  }
  return readKey(path).publicKey;
}

function readKey(path: string): NonNullable<ReturnType<typeof readSigningKey>> {
  const key = readSigningKey(readFileSync(path, 'utf8'));
  if (key) return key;
  throw new Error(
    `${path} has no Ed25519 private key in PEM; make one with npx sluice catalogue keygen FILE`,
  );
}

interface Publishing {
  /** Where the feed is written; its signature is next to it. */
  path: string;
  keyFile: string;
  /** The folder with `providers` and `models`; the built-in one by default. */
  directory: string | undefined;
  sequence: number | undefined;
  from: number | undefined;
  now: number;
}

/** What was published. */
interface Published {
  path: string;
  signaturePath: string;
  sequence: number;
  models: number;
  publicKey: string;
  keyId: string;
}

/** Writes a feed of the files of a catalogue, and its signature. */
export async function publishFeed(publishing: Publishing): Promise<Published> {
  const { path, keyFile, directory = catalogueDirectory, from, now } = publishing;
  const { sequence = Math.floor(now / 1_000) } = publishing;
  const key = readKey(keyFile);
  const files = await loadSourceFiles(directory);
  const text = renderFeed(files, { sequence, publishedAt: now, ...(from !== undefined && { from }) });
  parseFeed(text); // nothing is signed that no gateway would read
  const signaturePath = `${path}.sig`;
  writeFileSync(path, text);
  writeFileSync(signaturePath, signFeed(Buffer.from(text), key));
  const { publicKey } = key;
  return { path, signaturePath, sequence, models: files.models.length, publicKey, keyId: nameKey(publicKey) };
}
