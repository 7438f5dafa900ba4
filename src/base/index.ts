export { type Clock, systemClock } from './clock.ts';
export {
  type Chance,
  createIdentifier,
  createRandomText,
  createTimedIdentifier,
  systemChance,
} from './identifier.ts';
export {
  type JsonObject,
  type JsonValue,
  isJsonObject,
  measureDepth,
  parseJson,
  parseJsonObject,
} from './json.ts';
export { type PicoUsd, formatUsd, parsePricePerMillion, parseUsd } from './money.ts';
export { type SseMessage, SseOverflow, SseParser, formatSse } from './sse.ts';
