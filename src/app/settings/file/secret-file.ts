import type { Environment } from '../settings.ts';
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { SettingsError } from '../settings-problem.ts';

const MOST_BYTES = 64 * 1024;

/** The text of a file that holds one secret, without a byte order mark and the line breaks at its end; throws with what is wrong with it. */
export function readSecretFile(path: string): string {
  if (!isAbsolute(path)) throw new Error(`"${path}" is not an absolute path, such as /run/secrets/openai`);
  let text: string;
  try {
    if (statSync(path).size > MOST_BYTES) throw new Error('it is larger than 64 KiB');
    text = readFileSync(path, 'utf8').replace(/^\ufeff|[\r\n]+$/g, '');
  } catch (error) {
    throw new Error(`the file ${path} cannot be read: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    });
  }
  if (text === '') throw new Error(`the file ${path} is empty; write the value into it`);
  return text;
}

/** An environment in which a variable that is not set has the text of the file that `<NAME>_FILE` names. */
export function readVariablesFromFiles(environment: Environment): Environment {
  return new Proxy(environment, {
    get: (variables, name) => (typeof name === 'string' ? readVariable(variables, name) : undefined),
  });
}

function readVariable(environment: Environment, name: string): string | undefined {
  const value = environment[name];
  const variable = `${name}_FILE`;
  const path = environment[variable];
  if (path === undefined || path === '') return value;
  if (value !== undefined && value !== '')
    throw problemOf(variable, `${name} is set, too; unset one of them`);
  try {
    return readSecretFile(path);
  } catch (error) {
    throw problemOf(variable, error instanceof Error ? error.message : String(error));
  }
}

function problemOf(place: string, message: string): SettingsError {
  return new SettingsError([{ place, message }]);
}
