import {
  type CloudConnection,
  type CloudSources,
  type CloudSetting,
  choose,
  createConnection,
} from './cloud-connection.ts';

const MISSING = 'a region: aws.region or the environment variable AWS_REGION';
const REGION_IN_ADDRESS = /bedrock-runtime\.([a-z0-9-]+)\./;
const USUAL_REGION = 'us-east-1';

/** Bedrock is called in a region, with its own key or with requests signed by AWS keys. */
export function readBedrock({ entry, environment }: CloudSources): CloudConnection {
  const region = choose(entry?.aws?.region, environment, ['AWS_REGION', 'AWS_DEFAULT_REGION'])?.value;
  const given = choose(entry?.baseUrl, environment, ['AWS_ENDPOINT_URL_BEDROCK_RUNTIME'])?.value;
  const baseUrl = given ?? (region && `https://bedrock-runtime.${region}.amazonaws.com`);
  const signing = region ?? REGION_IN_ADDRESS.exec(baseUrl ?? '')?.[1] ?? USUAL_REGION;
  const hasOwnKeys = entry?.aws?.accessKeyId !== undefined;
  const key = choose(entry?.apiKey, hasOwnKeys ? {} : environment, ['AWS_BEARER_TOKEN_BEDROCK']);
  const signer = readKeys({ entry, environment: hasOwnKeys ? {} : environment });
  return createConnection({
    baseUrl,
    missing: MISSING,
    key,
    proof: signer?.keyId,
    access: { aws: { region: signing, ...(signer && { keys: signer.keys }) } },
  });
}

interface Signer {
  keyId: CloudSetting;
  keys: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
}

function readKeys({ entry, environment }: Pick<CloudSources, 'entry' | 'environment'>): Signer | undefined {
  const aws = entry?.aws ?? {};
  const keyId = choose(aws.accessKeyId, environment, ['AWS_ACCESS_KEY_ID']);
  const secret = choose(aws.secretAccessKey, environment, ['AWS_SECRET_ACCESS_KEY'])?.value;
  const sessionToken = choose(aws.sessionToken, environment, ['AWS_SESSION_TOKEN'])?.value;
  if (!keyId || !secret) return undefined;
  const keys = { accessKeyId: keyId.value, secretAccessKey: secret, ...(sessionToken && { sessionToken }) };
  return { keyId, keys };
}
