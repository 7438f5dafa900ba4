import type { Person } from '#accounts';

const LONGEST = 200;
const MOST_GROUPS = 1_000;

/** A person from the claims of a verified ID token, and what the issuer adds on request. */
export function toPerson(claims: Readonly<Record<string, unknown>>, groupsClaim: string): Person {
  const { iss, sub } = claims;
  // An unverified address could be anyone's.
  const email = claims['email_verified'] === true ? readAddress(claims['email']) : undefined;
  const domain = findDomain(String(iss), claims, email);
  const name =
    readText(claims['name']) ?? readText(claims['preferred_username']) ?? readText(claims['email']);
  return {
    issuer: String(iss),
    subject: String(sub),
    name: name ?? String(sub).slice(0, LONGEST),
    ...(email !== undefined && { email }),
    ...(domain !== undefined && { domain }),
    groups: readGroups(claims[groupsClaim]),
  };
}

/**
 * Issuers with a claim for the domain that manages an account. There, anyone who once had an address of a domain may
 * have an account of their own with it.
 */
const DOMAIN_CLAIMS: Readonly<Record<string, string>> = { 'https://accounts.google.com': 'hd' };

function findDomain(
  issuer: string,
  claims: Readonly<Record<string, unknown>>,
  email: string | undefined,
): string | undefined {
  const claim = DOMAIN_CLAIMS[issuer];
  return claim === undefined ? email?.slice(email.lastIndexOf('@') + 1) : readText(claims[claim]);
}

/** A list of names; some issuers send a single name as text. */
function readGroups(value: unknown): string[] {
  const groups = Array.isArray(value) ? (value as unknown[]) : [value];
  return groups.filter((group) => typeof group === 'string').slice(0, MOST_GROUPS);
}

function readText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, LONGEST)
    .toWellFormed();
  return text === '' ? undefined : text;
}

function readAddress(value: unknown): string | undefined {
  const text = readText(value);
  return text !== undefined && /^[^\s@]+@[^\s@]+$/.test(text) ? text : undefined;
}
