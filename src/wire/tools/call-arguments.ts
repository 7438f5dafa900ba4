import { type JsonObject, type JsonValue, parseExactObject } from '#base';
import { type ToolCallBlock, inputJsonOf } from '#canonical';

/** Arguments stay text. Clients replay what upstreams sent: empty arguments may be `""`, null or absent. */
export function decodeArguments(given: JsonValue | undefined): string {
  if (!given) return '{}';
  return typeof given === 'string' ? given : JSON.stringify(given);
}

/** Arguments as an object. Arguments cut at the output limit become an empty one, because a client would run a string or a repaired call. */
export function encodeInput(call: ToolCallBlock): JsonObject {
  return 'value' in call.input ? call.input.value : (parseExactObject(inputJsonOf(call)) ?? {});
}
