import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTemporaryFolder } from '../../../../test/support/temporary.ts';
import { loadSettings } from '../load-settings.ts';
import { SettingsError } from '../settings-problem.ts';

interface Given {
  yaml?: string;
  environment?: Record<string, string>;
}

async function load({ yaml, environment = {} }: Given) {
  using folder = createTemporaryFolder();
  if (yaml !== undefined) folder.write('sluice.yaml', yaml);
  return await loadSettings({ environment, workingDirectory: folder.path });
}

test('no traces are sent by default, and OpenTelemetry’s variables come before the file', async () => {
  assert.equal((await load({})).otlp, undefined);
  const yaml = [
    'telemetry:',
    '  otlp:',
    '    endpoint: http://collector:4318/',
    '    headers: { authorization: "Bearer ${TOKEN}" }',
    '    sampler: traceidratio',
    '    ratio: 0.25',
    '    resource: { deployment.environment.name: test }',
  ].join('\n');
  const { otlp } = await load({ yaml, environment: { TOKEN: 'abc' } });
  assert.ok(otlp);
  assert.equal(otlp.tracesUrl, 'http://collector:4318/v1/traces');
  assert.deepEqual(otlp.headers, { authorization: 'Bearer abc' });
  assert.deepEqual(otlp.rules, { byParent: false, ratio: 0.25, keepsErrors: true });
  assert.deepEqual(otlp.resource, { 'deployment.environment.name': 'test', 'service.name': 'sluice' });
  const environment = {
    TOKEN: 'abc',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://other.example/otlp',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%3Db, x-more=c',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    OTEL_SERVICE_NAME: 'gateway',
  };
  const chosen = (await load({ yaml, environment })).otlp;
  assert.ok(chosen);
  assert.equal(chosen.tracesUrl, 'https://other.example/otlp/v1/traces');
  assert.deepEqual(chosen.headers, { 'x-key': 'a=b', 'x-more': 'c' });
  assert.equal(chosen.isJson, true);
  assert.deepEqual(chosen.rules, { byParent: true, ratio: 0, keepsErrors: true });
  assert.equal(chosen.resource['service.name'], 'gateway');
  for (const off of [
    { OTEL_SDK_DISABLED: 'true' },
    { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' },
  ])
    assert.equal((await load({ yaml, environment: { ...environment, ...off } })).otlp, undefined);
});

test('content is in spans only where the file or OpenTelemetry’s variable asks for it', async () => {
  const yaml = 'telemetry: { otlp: { endpoint: "http://collector:4318", content: true } }';
  const hasContent = async (given: Given) => (await load(given)).otlp?.hasContent;
  const name = 'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT';
  assert.equal(await hasContent({ yaml }), true);
  assert.equal(await hasContent({ yaml, environment: { [name]: 'false' } }), false);
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
  assert.equal(await hasContent({ environment }), false);
  assert.equal(await hasContent({ environment: { ...environment, [name]: 'SPAN_ONLY' } }), true);
});

test('an export that cannot work is refused with what to write instead', async () => {
  const url = 'must be an http or https URL without credentials; put them into headers';
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'https://user:secret@collector',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
    OTEL_TRACES_SAMPLER_ARG: '10',
  };
  const expected = [
    `OTEL_EXPORTER_OTLP_ENDPOINT: ${url}`,
    'OTEL_EXPORTER_OTLP_PROTOCOL: must be one of http/protobuf, http/json',
    'OTEL_TRACES_SAMPLER_ARG: must be a number from 0 to 1',
  ];
  await assert.rejects(load({ environment }), (error: unknown) => {
    assert.ok(error instanceof SettingsError);
    assert.deepEqual(error.message.split('\n'), expected);
    return true;
  });
});
