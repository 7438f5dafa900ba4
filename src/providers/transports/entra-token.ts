import type { Token } from './token-source.ts';
import { requestToken } from './oauth-token.ts';

/** An application registered with Microsoft Entra. */
export interface EntraApplication {
  tenantId: string;
  clientId: string;
  clientSecret: string;
  /** `https://login.microsoftonline.com` by default. */
  authority?: string;
}

const AUTHORITY = 'https://login.microsoftonline.com';
const SCOPE = 'https://cognitiveservices.azure.com/.default';

export function createEntraTokenFetcher(application: EntraApplication): () => Promise<Token> {
  const { tenantId, clientId, clientSecret, authority = AUTHORITY } = application;
  const url = `${authority.replace(/\/+$/, '')}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`;
  return () =>
    requestToken(url, {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      scope: SCOPE,
    });
}
