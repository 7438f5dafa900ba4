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
  isHeavy: boolean | undefined,
  body: JsonObject,
  parsed?: ParsedText,
): string | Buffer | Promise<Buffer> {
  return isHeavy ? inTurns(printJsonSlowly(body, parsed)) : printJson(body, parsed);
}

/** Prints what is stored of a request. */
export function printText(isHeavy: boolean, value: JsonValue): string | Promise<string> {
  return isHeavy ? inTurns(gather(value)) : JSON.stringify(value);
}

function* gather(value: JsonValue): Generator<undefined, string> {
  let text = '';
  for (const piece of printInPieces(value)) {
    text += piece;
    yield;
  }
  return text;
}
