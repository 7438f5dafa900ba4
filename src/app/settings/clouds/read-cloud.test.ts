import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CloudId } from '#catalogue';
import type { ProviderEntry } from '../schemas/settings-schema.ts';
import type { Environment } from '../settings.ts';
import { listProviders } from '../../doctor/announcement.ts';
import { loadSettings } from '../load-settings.ts';
import { readCloud } from './read-cloud.ts';

function read(cloud: CloudId, environment: Environment, entry?: Omit<ProviderEntry, 'id'>) {
  return readCloud(cloud, { environment, workingDirectory: '/', entry: entry && { id: 'x', ...entry } });
}

const KEYS = { AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'secret' };

test('Bedrock is reached in the region of the file or the environment', () => {
  const address = 'https://bedrock-runtime.eu-west-1.amazonaws.com';
  assert.equal(read('bedrock', { AWS_REGION: 'eu-west-1' }).baseUrl, address);
  assert.equal(read('bedrock', { AWS_DEFAULT_REGION: 'eu-west-1' }).baseUrl, address);
  assert.equal(
    read('bedrock', { AWS_REGION: 'us-west-2' }, { aws: { region: 'eu-west-1' } }).baseUrl,
    address,
  );
  assert.match(read('bedrock', {}).missing ?? '', /aws\.region/);
  const own = read('bedrock', {
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: 'https://vpce-1.bedrock-runtime.eu-west-1.vpce.amazonaws.com',
  });
  assert.equal(own.access.aws?.region, 'eu-west-1');
});

test('Bedrock prefers its API key to signing keys, and the file to the environment', () => {
  const both = { ...KEYS, AWS_REGION: 'eu-west-1', AWS_BEARER_TOKEN_BEDROCK: 'token' };
  assert.deepEqual(
    [read('bedrock', both).apiKey, read('bedrock', both).variable],
    ['token', 'AWS_BEARER_TOKEN_BEDROCK'],
  );
  const signed = read('bedrock', { ...KEYS, AWS_SESSION_TOKEN: 's', AWS_REGION: 'eu-west-1' });
  assert.deepEqual(signed.access.aws?.keys, {
    accessKeyId: 'AKIA',
    secretAccessKey: 'secret',
    sessionToken: 's',
  });
  assert.deepEqual([signed.apiKey, signed.variable], [undefined, 'AWS_ACCESS_KEY_ID']);
  const file = read(
    'bedrock',
    { ...both, AWS_SESSION_TOKEN: 's' },
    { aws: { accessKeyId: 'F', secretAccessKey: 'f' } },
  );
  assert.deepEqual(file.access.aws?.keys, { accessKeyId: 'F', secretAccessKey: 'f' });
  assert.deepEqual([file.apiKey, file.variable], [undefined, undefined]);
  assert.equal(read('bedrock', both, { apiKey: 'mine' }).apiKey, 'mine');
});

test('Azure is reached at its resource, by the newer address unless a version is named', () => {
  const newer = 'https://north.openai.azure.com/openai/v1';
  for (const endpoint of ['https://north.openai.azure.com', 'https://north.openai.azure.com/', `${newer}/`])
    assert.equal(read('azure', { AZURE_OPENAI_ENDPOINT: endpoint }).baseUrl, newer);
  assert.equal(read('azure', { AZURE_RESOURCE_NAME: 'north' }).baseUrl, newer);
  assert.equal(
    read('azure', { AZURE_OPENAI_ENDPOINT: 'https://x.test' }, { azure: { resource: 'north' } }).baseUrl,
    newer,
  );
  const older = read('azure', { AZURE_RESOURCE_NAME: 'north' }, { azure: { apiVersion: '2024-10-21' } });
  assert.deepEqual(
    [older.baseUrl, older.access.azure?.apiVersion],
    ['https://north.openai.azure.com/openai', '2024-10-21'],
  );
  assert.match(read('azure', {}).missing ?? '', /AZURE_OPENAI_ENDPOINT/);
});

test('Azure accepts a key or an Entra application', () => {
  const application = { AZURE_TENANT_ID: 't', AZURE_CLIENT_ID: 'c', AZURE_CLIENT_SECRET: 's' };
  const entra = read('azure', application);
  assert.deepEqual(entra.access.azure?.entra, { tenantId: 't', clientId: 'c', clientSecret: 's' });
  assert.equal(entra.variable, 'AZURE_CLIENT_ID');
  const keyed = read('azure', { ...application, AZURE_API_KEY: 'k' });
  assert.deepEqual([keyed.apiKey, keyed.variable], ['k', 'AZURE_API_KEY']);
});

test('Vertex is called in a project and location, which may come from the key file and a default', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vertex-'));
  try {
    const text = JSON.stringify({ type: 'service_account', project_id: 'from-file' });
    writeFileSync(join(folder, 'key.json'), text);
    const environment = { GOOGLE_APPLICATION_CREDENTIALS: join(folder, 'key.json') };
    const found = read('vertex', environment);
    assert.equal(found.baseUrl, 'https://aiplatform.googleapis.com/v1/projects/from-file/locations/global');
    assert.deepEqual(
      [found.access.google?.credentials, found.variable],
      [text, 'GOOGLE_APPLICATION_CREDENTIALS'],
    );
    const inline = read(
      'vertex',
      {},
      { google: { credentials: text, project: 'p', location: 'europe-west4' } },
    );
    assert.equal(
      inline.baseUrl,
      'https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4',
    );
    const eu = read('vertex', { GOOGLE_CLOUD_PROJECT: 'p', GOOGLE_CLOUD_LOCATION: 'eu' });
    assert.equal(eu.baseUrl, 'https://aiplatform.eu.rep.googleapis.com/v1/projects/p/locations/eu');
    const express = read('vertex', { GOOGLE_VERTEX_API_KEY: 'k' });
    assert.deepEqual([express.baseUrl, express.apiKey], ['https://aiplatform.googleapis.com/v1', 'k']);
    assert.match(read('vertex', {}).missing ?? '', /google\.project/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

async function load(environment: Environment, yaml?: string) {
  const folder = mkdtempSync(join(tmpdir(), 'clouds-'));
  try {
    if (yaml !== undefined) writeFileSync(join(folder, 'sluice.yaml'), yaml);
    return await loadSettings({ environment, workingDirectory: folder });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('clouds found in the environment are announced with the variable of their credential', async () => {
  const settings = await load({
    ...KEYS,
    AWS_REGION: 'eu-west-1',
    AZURE_OPENAI_ENDPOINT: 'https://north.openai.azure.com',
    AZURE_OPENAI_API_KEY: 'k',
    GOOGLE_VERTEX_API_KEY: 'v',
    GOOGLE_VERTEX_PROJECT: 'p',
  });
  assert.deepEqual(listProviders(settings).sort(), [
    'amazon-bedrock (AWS_ACCESS_KEY_ID)',
    'azure (AZURE_OPENAI_API_KEY)',
    'google-vertex (GOOGLE_VERTEX_API_KEY)',
  ]);
  assert.equal(settings.credentials.has('amazon-bedrock'), false);
  assert.equal(settings.cloudAccess.get('amazon-bedrock')?.aws?.keys?.accessKeyId, 'AKIA');
});

test('half of what a cloud needs does not announce it', async () => {
  for (const environment of [
    KEYS,
    { AWS_REGION: 'eu-west-1' },
    { AZURE_API_KEY: 'k' },
    { GOOGLE_CLOUD_PROJECT: 'p' },
  ])
    assert.deepEqual(listProviders(await load(environment)), []);
});

test('what is missing or misplaced in the file is named', async () => {
  const problem = (yaml: string) => load({}, yaml).then(() => '', String);
  assert.match(
    await problem('providers:\n  - { id: amazon-bedrock }\n'),
    /the address of "amazon-bedrock" needs a region/,
  );
  assert.match(
    await problem('providers:\n  - { id: openai, apiKey: k, aws: { region: eu-west-1 } }\n'),
    /"aws" does not apply to the provider "openai"/,
  );
});
