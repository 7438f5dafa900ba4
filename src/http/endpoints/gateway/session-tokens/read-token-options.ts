import { createInvalid } from '#errors';
import type { JsonObject, PicoUsd } from '#base';
import { SESSION_TTL_SECONDS } from '#accounts';
import { parseUsd, writeDecimal } from '#base';

/** The requested properties of a session token. */
interface SessionOptions {
  limit: PicoUsd;
  ttlSeconds?: number;
  models?: string[];
  endUserId?: string;
}

const FIELDS = ['limit', 'ttl_seconds', 'models', 'user'];

/** Validates a body; throws if a field is missing, malformed or unknown: a misspelt limit must not mean no limit. */
export function readTokenOptions(body: JsonObject): SessionOptions {
  if (body['budget'] !== undefined) throw createInvalid('budget', 'absent: it is called limit now');
  for (const name of Object.keys(body)) {
    if (!FIELDS.includes(name))
      throw createInvalid(name.slice(0, 100), `absent: the fields are ${FIELDS.join(', ')}`);
  }
  const { ttl_seconds: ttlSeconds, models, user } = body;
  return {
    limit: readLimit(body['limit']),
    ...(isGiven(ttlSeconds) && { ttlSeconds: readTtl(ttlSeconds) }),
    ...(isGiven(models) && { models: readModels(models) }),
    ...(isGiven(user) && { endUserId: readUser(user) }),
  };
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function readLimit(value: unknown): PicoUsd {
  const text = typeof value === 'number' ? writeDecimal(value) : value;
  const amount = typeof text === 'string' ? parseUsd(text) : undefined;
  if (amount === undefined || amount <= 0n)
    throw createInvalid('limit', 'the most the token may spend in USD, such as "0.50"');
  return amount;
}

function readTtl(value: unknown): number {
  const { least, most } = SESSION_TTL_SECONDS;
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  throw createInvalid('ttl_seconds', `a whole number from ${least} to ${most}`);
}

function readModels(value: unknown): string[] {
  if (Array.isArray(value) && value.every((name) => typeof name === 'string')) return value;
  throw createInvalid('models', 'an array of model names');
}

function readUser(value: unknown): string {
  if (typeof value === 'string') return value;
  throw createInvalid('user', 'a string');
}
