export { append } from './append.ts';
export { ByteParts } from './byte-parts.ts';
export { type Clock, systemClock } from './clock.ts';
export { type Deadline, startDeadline } from './deadline.ts';
export { FairQueue } from './fair-queue.ts';
export { finish } from './finish.ts';
export { findFault } from './json/find-fault.ts';
export { findJsonFault } from './json/find-json-fault.ts';
export { fitsSchema } from './json/fits-schema.ts';
export type { HttpHeaders } from './http-headers.ts';
export {
  type RandomSource,
  createIdentifier,
  createRandomText,
  createTimedIdentifier,
  systemRandom,
} from './identifier.ts';
export {
  type JsonObject,
  type JsonValue,
  isJsonObject,
  parseExact,
  parseExactObject,
  parseJson,
  parseJsonObject,
} from './json/json.ts';
export { jitter } from './jitter.ts';
export { isSmallJson, printInPieces } from './json/json-pieces.ts';
export { type ParsedText, printJson, printJsonSlowly } from './json/json-members.ts';
export { type JsonLimits, type JsonSize, JsonMeter } from './json/json-size.ts';
export { type Lru, createLru } from './lru.ts';
export { LAST_MOMENT, encodeTime, formatTime, parseMoment } from './moment.ts';
export { formatCount, formatFirst } from './format-count.ts';
export { writeDecimal } from './write-decimal.ts';
export { type PicoUsd, formatUsd, parsePricePerMillion, parseUsd } from './money.ts';
export { namePlace } from './json/name-place.ts';
export {
  type AddressRules,
  type ResolveHost,
  STRICT_ADDRESSES,
  parseOutsideUrl,
  isPublicHost,
} from './network/outside-url.ts';
export { packageRoot } from './package-root.ts';
export {
  AddressRefused,
  createDnsResolver,
  createPublicLookup,
  resolvePublicly,
} from './network/public-lookup.ts';
export { reasonOf } from './reason-of.ts';
export { startRounds } from './rounds.ts';
export { type Steps, runAtOnce, runInTurns } from './steps.ts';
export { select } from './select.ts';
export { Slots } from './slots.ts';
export { type SnakeCase, encodeMembers, toSnakeCase, toSnakeCaseMembers } from './snake-case.ts';
export { type SseMessage, SseOverflow, SseParser, formatSse } from './sse.ts';
export { isStorableId, toStorableText } from './storable-text.ts';
