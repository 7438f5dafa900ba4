import type { FormatId } from '#canonical';
import type { CloudId } from '#catalogue';
import type { OutboundFormat } from '#wire';
import type { Transport } from './transport.ts';
import { parseJsonObject } from '#base';
import { getOutboundFormat } from '#wire';
import { type Envelope, type MediumAddress, withEnvelope } from './envelope.ts';
import { createDeploymentAddress, createDeploymentEnvelope } from './envelopes/azure.ts';
import { encloseForInvoke } from './envelopes/bedrock.ts';
import { addressGoogle, encloseChat, encloseClaude, encloseGemini } from './envelopes/vertex.ts';
import { AuthorizedTransport } from './transports/authorized.ts';
import { createBedrockTransport } from './transports/bedrock.ts';
import { type EntraApplication, createEntraTokenFetcher } from './transports/entra-token.ts';
import { createGoogleTokenFetcher } from './transports/google-token.ts';
import type { AwsKeys } from './transports/sigv4.ts';
import { type Token, createTokenSource } from './transports/token-source.ts';

/** Cloud settings in addition to an address and a key. */
export interface CloudAccess {
  aws?: { region: string; keys?: AwsKeys };
  azure?: { apiVersion?: string; entra?: EntraApplication };
  /** `credentials` is the JSON text of a key file; without one the machine's own are used. */
  google?: { credentials?: string };
}

/** A cloud's address, and whether a key in a header suffices. */
interface CloudFacts {
  baseUrl: string;
  isKeyed: boolean;
  access: CloudAccess;
}

/** The formats with a cloud's envelope. */
export function createCloudFormats(
  cloud: CloudId,
  access: CloudAccess = {},
): (id: FormatId) => OutboundFormat {
  const known = new Map<FormatId, OutboundFormat>();
  return (id) => {
    const format = known.get(id) ?? enclose(cloud, getOutboundFormat(id), access);
    known.set(id, format);
    return format;
  };
}

function enclose(cloud: CloudId, format: OutboundFormat, { azure }: CloudAccess): OutboundFormat {
  if (cloud === 'bedrock')
    return BEDROCK_INVOKES.has(format.id)
      ? encloseForInvoke(format, getOutboundFormat('converse').decodeFailure)
      : format;
  if (cloud === 'vertex') return withEnvelope(format, VERTEX[format.id]);
  const version = azure?.apiVersion;
  return withEnvelope(format, version === undefined ? undefined : createDeploymentEnvelope(version));
}

/** The formats of models that Bedrock serves by InvokeModel. */
const BEDROCK_INVOKES: ReadonlySet<FormatId> = new Set(['messages']);

/** The formats with addresses of their own at Vertex. */
const VERTEX: Partial<Record<FormatId, Envelope>> = {
  chat: encloseChat,
  messages: encloseClaude,
  gemini: encloseGemini,
};

/** A cloud's addresses for media; absent if the protocols' own paths are right. */
export function findMediumAddress(cloud: CloudId, { azure }: CloudAccess = {}): MediumAddress | undefined {
  if (cloud === 'vertex') return addressGoogle;
  const version = cloud === 'azure' ? azure?.apiVersion : undefined;
  return version === undefined ? undefined : createDeploymentAddress(version);
}

/** Adds a cloud's authentication to requests, and decodes what only the cloud sends. */
export function createCloudTransport(cloud: CloudId, http: Transport, facts: CloudFacts): Transport {
  const { baseUrl, isKeyed, access } = facts;
  switch (cloud) {
    case 'bedrock': {
      const { region = 'us-east-1', keys } = access.aws ?? {};
      return createBedrockTransport(http, { baseUrl, region, ...(keys && !isKeyed && { keys }) });
    }
    case 'azure': {
      const entra = access.azure?.entra;
      return isKeyed || !entra ? http : carryToken(http, createEntraTokenFetcher(entra));
    }
    case 'vertex':
      return isKeyed ? http : carryToken(http, createGoogleTokenFetcher(access.google?.credentials));
  }
}

function carryToken(http: Transport, fetchToken: () => Promise<Token>): Transport {
  const getToken = createTokenSource(fetchToken);
  return new AuthorizedTransport(http, async () => ({ authorization: `Bearer ${await getToken()}` }));
}

/** Secrets to redact from a cloud's answers. */
export function listSecrets({ aws, azure, google }: CloudAccess = {}): string[] {
  const key = google?.credentials === undefined ? undefined : parseJsonObject(google.credentials);
  const secrets = [
    aws?.keys?.secretAccessKey,
    aws?.keys?.sessionToken,
    azure?.entra?.clientSecret,
    key?.['private_key'],
  ];
  return secrets.filter((secret) => typeof secret === 'string');
}
