import type { SessionRole } from './session-role.ts';

/** A person that an issuer authenticates. */
export interface Person {
  issuer: string;
  /** The issuer's id for them, which never changes. */
  subject: string;
  name: string;
  /** Present only if the issuer has verified it. */
  email?: string;
  /** The domain that manages the account. */
  domain?: string;
  groups: readonly string[];
}

/** Who gets which role: all of its conditions must hold. */
export interface RoleRule {
  group?: string;
  domain?: string;
  /** A verified address. */
  email?: string;
  role: SessionRole;
  /** The id or the name of an organization; absent for operators only. */
  organization?: string;
}

/** The first rule that a person fulfils. */
export function findRoleRule(rules: readonly RoleRule[], person: Person): RoleRule | undefined {
  const email = person.email?.toLowerCase();
  const domain = person.domain?.toLowerCase();
  return rules.find(
    (rule) =>
      (rule.group ?? rule.domain ?? rule.email) !== undefined &&
      (rule.group === undefined || person.groups.includes(rule.group)) &&
      (rule.domain === undefined || rule.domain.toLowerCase() === domain) &&
      (rule.email === undefined || rule.email.toLowerCase() === email),
  );
}
