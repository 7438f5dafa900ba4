import {
  type JsonObject,
  type JsonValue,
  type ParsedText,
  printInPieces,
  printJson,
  printJsonSlowly,
} from '#base';
import { inTurns } from './step-scheduler.ts';

/** Prints a body for a provider; a heavy request's in slices. */
export function printBody(
  queue: string | undefined,
  body: JsonObject,
  parsed?: ParsedText,
): string | Buffer | Promise<Buffer> {
  return queue === undefined ? printJson(body, parsed) : inTurns(queue, printJsonSlowly(body, parsed));
}

/** Prints what is stored of a request. */
export function printText(queue: string | undefined, value: JsonValue): string | Promise<string> {
  return queue === undefined ? JSON.stringify(value) : inTurns(queue, gather(value));
}

function* gather(value: JsonValue): Generator<undefined, string> {
  let text = '';
  for (const piece of printInPieces(value)) {
    text += piece;
    yield;
  }
  return text;
}
