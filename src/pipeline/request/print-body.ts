import {
  type JsonObject,
  type JsonValue,
  type ParsedText,
  printInPieces,
  printJson,
  printJsonSlowly,
} from '#base';
import { inTurns } from './pace.ts';

/** Prints a body for a provider; a heavy request's in slices. */
export function printBody(
  line: string | undefined,
  body: JsonObject,
  parsed?: ParsedText,
): string | Buffer | Promise<Buffer> {
  return line === undefined ? printJson(body, parsed) : inTurns(line, printJsonSlowly(body, parsed));
}

/** Prints what is stored of a request. */
export function printText(line: string | undefined, value: JsonValue): string | Promise<string> {
  return line === undefined ? JSON.stringify(value) : inTurns(line, gather(value));
}

function* gather(value: JsonValue): Generator<undefined, string> {
  let text = '';
  for (const piece of printInPieces(value)) {
    text += piece;
    yield;
  }
  return text;
}
