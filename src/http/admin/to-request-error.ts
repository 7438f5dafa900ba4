import type { Reference } from '#fields';
import { isJsonObject } from '#base';
import { GatewayError } from '#errors';

/** The parts of a request that name members. */
interface RequestMembers {
  body: unknown;
  query: Readonly<Record<string, unknown>>;
}

/** What the ids of a request refer to, by the names of their members. */
export type References = Readonly<Record<string, Reference>>;

/** An error with the names of the request's members: `expires_at` instead of `expiresAt`. */
export function toRequestError(
  thrown: unknown,
  { body, query }: RequestMembers,
  references: References,
): unknown {
  if (!(thrown instanceof GatewayError)) return thrown;
  const { code, message, facts } = thrown;
  const reported = { ...query, ...(isJsonObject(body) && body) };
  if (code === 'not_found')
    return new GatewayError(code, message, {
      ...facts,
      param: findNaming(reported, references, facts.missing),
    });
  const { param = '' } = facts;
  const name = param.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  if (name === param || !Object.hasOwn(reported, name)) return thrown;
  const text = message.startsWith(`${param}:`) ? name + message.slice(param.length) : message;
  return new GatewayError(code, text, { ...facts, param: name });
}

/** The member that refers to a missing record; by default the one named after it, or the id of the path. */
function findNaming(
  reported: Readonly<Record<string, unknown>>,
  references: References,
  missing = '',
): string {
  const name = missing.replaceAll(' ', '_');
  const referring = Object.entries(references).find(
    ([member, to]) =>
      Object.hasOwn(reported, member) && (typeof to === 'string' ? to : reported[to.member]) === name,
  );
  if (referring) return referring[0];
  return Object.hasOwn(reported, `${name}_id`) ? `${name}_id` : 'id';
}
