import {
  type CloudConnection,
  type CloudSources,
  type CloudSetting,
  choose,
  createConnection,
} from './cloud-connection.ts';

const MISSING = 'a resource: azure.resource or the environment variable AZURE_OPENAI_ENDPOINT';
const VERSIONS = ['AZURE_OPENAI_API_VERSION', 'OPENAI_API_VERSION'];

/** Azure OpenAI is called at a resource, with its key or as an Entra application. */
export function readAzure(sources: CloudSources): CloudConnection {
  const { entry, environment } = sources;
  const azure = entry?.azure ?? {};
  const endpoint = readEndpoint(sources);
  const apiVersion = choose(azure.apiVersion, environment, VERSIONS)?.value;
  const others = azure.clientSecret ? {} : environment;
  const key = choose(entry?.apiKey, others, ['AZURE_OPENAI_API_KEY', 'AZURE_API_KEY']);
  const application = readApplication(sources);
  return createConnection({
    baseUrl: endpoint && `${endpoint}/openai${apiVersion ? '' : '/v1'}`,
    missing: MISSING,
    key,
    proof: application?.id,
    access: {
      azure: { ...(apiVersion && { apiVersion }), ...(application && { entra: application.entra }) },
    },
  });
}

function readEndpoint({ entry, environment }: CloudSources): string | undefined {
  const resource = entry?.azure?.resource;
  const given = entry?.baseUrl ?? (resource && toAddress(resource));
  const named = choose(given, environment, ['AZURE_OPENAI_ENDPOINT'])?.value;
  const found = choose(undefined, environment, ['AZURE_RESOURCE_NAME'])?.value;
  const endpoint = named ?? (found && toAddress(found));
  return endpoint?.replace(/\/+$/, '').replace(/\/openai(\/v1)?$/, '');
}

function toAddress(resource: string): string {
  return `https://${resource}.openai.azure.com`;
}

interface Application {
  id: CloudSetting;
  entra: { tenantId: string; clientId: string; clientSecret: string };
}

function readApplication({ entry, environment }: CloudSources): Application | undefined {
  const azure = entry?.azure ?? {};
  const tenantId = choose(azure.tenantId, environment, ['AZURE_TENANT_ID'])?.value;
  const id = choose(azure.clientId, environment, ['AZURE_CLIENT_ID']);
  const clientSecret = choose(azure.clientSecret, environment, ['AZURE_CLIENT_SECRET'])?.value;
  if (!tenantId || !id || !clientSecret) return undefined;
  return { id, entra: { tenantId, clientId: id.value, clientSecret } };
}
