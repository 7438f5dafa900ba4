import type { Person, RoleRule } from '#accounts';

/** Who may sign in, and where they do: `auth.oidc`. */
export interface IssuerSettings {
  /** As the page names it. */
  name: string;
  issuer: string;
  clientId: string;
  /** Absent: a public client. */
  clientSecret?: string;
  /** Where the issuer redirects browsers to; absent: derived from the name under which the dashboard is open. */
  redirectUrl?: string;
  scopes: readonly string[];
  /** The claim with the groups of a person. */
  groupsClaim: string;
  access: readonly RoleRule[];
  sessionMinutes: number;
}

/** What must come back from the issuer; a browser keeps it meanwhile, encrypted. */
export interface PendingSignIn {
  state: string;
  nonce: string;
  verifier: string;
  redirectUrl: string;
}

/** An OpenID provider, as a client of it. Every method throws `issuer_unavailable` if it does not answer. */
export interface Issuer {
  settings: IssuerSettings;
  /** The address where a person signs in. */
  begin(redirectUrl: string): Promise<{ url: string; pending: PendingSignIn }>;
  /** Exchanges the code of a callback and verifies the ID token. Throws `invalid_credential` if anything does not match. */
  finish(query: URLSearchParams, pending: PendingSignIn): Promise<{ person: Person; idToken: string }>;
  /** The address that ends the session at the issuer, if it has one. */
  findSignOut(idToken: string | undefined, returnTo: string): Promise<string | undefined>;
}
