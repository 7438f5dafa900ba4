import { type InProcessGateway, openInProcess } from './in-process.ts';
import { OIDC_CLIENT, type OidcIssuer, startOidcIssuer } from './oidc-issuer.ts';

const person = (name: string, login: string, groups: readonly string[]) => ({
  name,
  email: `${login}@acme.example`,
  email_verified: true,
  groups,
});

/** Somebody of each role, and some that have none. */
export const PEOPLE = {
  olga: person('Olga Op', 'olga', ['platform']),
  adam: person('Adam Admin', 'adam', ['leads', 'data']),
  lena: person('Lena Lead', 'lena', ['leads']),
  vera: person('Vera View', 'vera', ['finance']),
  mia: person('Mia Member', 'mia', ['data']),
  max: person('Max Member', 'max', ['data']),
  nobody: person('Nobody', 'nobody', ['guests']),
} as const;

/** The part of `sluice.yaml`: groups of the issuer, and a domain, become roles in the organization Acme Data. */
function composeAuth(issuerUrl: string, more = ''): string {
  return `
auth:
  oidc:
    name: Test Issuer
    issuer: ${issuerUrl}
    clientId: ${OIDC_CLIENT.id}
    clientSecret: ${OIDC_CLIENT.secret}
    scopes: [openid, profile, email, groups]
    ${more}
    access:
      - { group: platform, role: operator }
      - { group: leads, role: admin, organization: Acme Data }
      - { group: finance, role: viewer, organization: Acme Data }
      - { group: data, role: member, organization: Acme Data }
      - { domain: partner.example, role: viewer, organization: Acme Data }
      - { email: lost@other.example, role: member, organization: No Such Organization }
`;
}

interface Opened extends AsyncDisposable {
  gateway: InProcessGateway;
  issuer: OidcIssuer;
  organizationId: string;
  projectId: string;
}

/** A gateway with an issuer of its own, and the organization that its rules name. */
export async function openWithIssuer(more = ''): Promise<Opened> {
  const issuer = await startOidcIssuer({ ...PEOPLE });
  const gateway = await openInProcess({ extraConfig: composeAuth(issuer.url, more) });
  issuer.open([gateway.url, 'https://gateway.example']);
  const { directory } = gateway.accounts;
  const { id: organizationId } = await directory.createOrganization('Acme Data');
  const { id: projectId } = await directory.createProject({ organizationId, name: 'default' });
  return {
    gateway,
    issuer,
    organizationId,
    projectId,
    [Symbol.asyncDispose]: async () => {
      await gateway[Symbol.asyncDispose]();
      await issuer[Symbol.asyncDispose]();
    },
  };
}
