import { isJsonObject } from '#base';
import { GatewayError } from '#errors';

/** The parts of a request that name members. */
interface RequestMembers {
  body: unknown;
  query: Readonly<Record<string, unknown>>;
}

/** The members that name a missing record, if they are not named after it. */
const MEMBERS: Readonly<Record<string, string>> = {
  'custom provider': 'provider',
  organization: 'subject_id',
  project: 'subject_id',
  key: 'subject_id',
};

/** An error with the names of the request's members: `expires_at` instead of `expiresAt`. */
export function toRequestError(thrown: unknown, { body, query }: RequestMembers): unknown {
  if (!(thrown instanceof GatewayError)) return thrown;
  const { code, message, facts } = thrown;
  const reported = { ...query, ...(isJsonObject(body) && body) };
  if (code === 'not_found')
    return new GatewayError(code, message, { ...facts, param: findNaming(reported, facts.missing) });
  const { param = '' } = facts;
  const name = param.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (name === param || !Object.hasOwn(reported, name)) return thrown;
  const text = message.startsWith(`${param}:`) ? name + message.slice(param.length) : message;
  return new GatewayError(code, text, { ...facts, param: name });
}

function findNaming(reported: object, missing = ''): string {
  const names = [`${missing.replaceAll(' ', '_')}_id`, MEMBERS[missing] ?? ''];
  return names.find((name) => Object.hasOwn(reported, name)) ?? 'id';
}
