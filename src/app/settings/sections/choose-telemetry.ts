import type { OtlpSettings } from '#telemetry';
import type { Environment } from '../settings.ts';
import type { SettingsFile } from '../schemas/settings-schema.ts';
import { type SettingCandidate, type Chooser, readVariable } from './choose.ts';
import { SettingsSection, type SettingsSources } from './section.ts';
import { OTLP_PROTOCOLS, SAMPLERS } from '../schemas/telemetry-schema.ts';

type OtlpFile = NonNullable<NonNullable<SettingsFile['telemetry']>['otlp']>;

const METRICS_EVERY_MS = 60_000;

/** What is exported to OpenTelemetry, and where; absent: nothing. */
export function chooseTelemetry(sources: SettingsSources): OtlpSettings | undefined {
  const choice = new Choice(sources);
  const endpoint = choice.readEndpoint('OTEL_EXPORTER_OTLP_ENDPOINT', 'endpoint');
  const tracesEndpoint = choice.readEndpoint('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT');
  const metricsEndpoint = choice.readEndpoint('OTEL_EXPORTER_OTLP_METRICS_ENDPOINT');
  const traces = choice.isOn('traces', 'OTEL_TRACES_EXPORTER')
    ? (tracesEndpoint ?? appendPath(endpoint, 'v1/traces'))
    : undefined;
  const metrics = choice.isOn('metrics', 'OTEL_METRICS_EXPORTER')
    ? (metricsEndpoint ?? appendPath(endpoint, 'v1/metrics'))
    : undefined;
  const headers = choice.readPairs('OTEL_EXPORTER_OTLP_HEADERS', 'headers');
  const protocol = choice.readOne('OTEL_EXPORTER_OTLP_PROTOCOL', 'protocol', OTLP_PROTOCOLS);
  const sampler = choice.readOne('OTEL_TRACES_SAMPLER', 'sampler', SAMPLERS) ?? 'parentbased_always_on';
  const ratio = choice.readRatio();
  const service = choice.readText('OTEL_SERVICE_NAME', 'serviceName');
  const resource = choice.readPairs('OTEL_RESOURCE_ATTRIBUTES', 'resource');
  const isPropagated = choice.file.find('propagate') ?? false;
  const hasContent = choice.readContent();
  if (choice.isDisabled || (traces === undefined && metrics === undefined)) return undefined;
  return {
    ...(traces !== undefined && { tracesUrl: traces }),
    ...(metrics !== undefined && { metricsUrl: metrics }),
    metricsEveryMs: METRICS_EVERY_MS,
    headers,
    isJson: protocol === 'http/json',
    rules: toRules(sampler, ratio),
    isPropagated,
    hasContent,
    resource: { ...resource, 'service.name': service ?? resource['service.name'] ?? 'sluice' },
  };
}

function toRules(sampler: (typeof SAMPLERS)[number], ratio: number): OtlpSettings['rules'] {
  const shares = { always_on: 1, always_off: 0, traceidratio: ratio } as const;
  const decision = sampler.replace('parentbased_', '') as keyof typeof shares;
  return {
    byParent: sampler.startsWith('parentbased_'),
    ratio: shares[decision],
    keepsErrors: sampler !== 'always_off',
  };
}

function appendPath(base: string | undefined, path: string): string | undefined {
  return base === undefined ? undefined : `${base.replace(/\/+$/, '')}/${path}`;
}

class Choice {
  readonly file: SettingsSection<OtlpFile>;
  readonly #environment: Environment;
  readonly #chooser: Chooser;

  constructor(sources: SettingsSources) {
    this.file = new SettingsSection(sources, 'telemetry.otlp', sources.content.telemetry?.otlp);
    this.#environment = sources.environment;
    this.#chooser = sources.chooser;
  }

  /** The specification's switch for everything. */
  get isDisabled(): boolean {
    return /^true$/i.test(this.#environment['OTEL_SDK_DISABLED'] ?? '');
  }

  readEndpoint(variable: string, name?: 'endpoint'): string | undefined {
    const expected = 'an http or https URL without credentials; put them into headers';
    const fromVariable = this.#chooser.read(this.#read(variable), readUrl, expected);
    if (name === undefined) return fromVariable.value;
    const fromFile = this.#chooser.read(this.file.get(name), readUrl, expected);
    return this.#chooser.find(`telemetry.otlp.${name}`, [fromVariable, fromFile]);
  }

  readText(variable: string, name: 'serviceName'): string | undefined {
    return this.file.find(name, [this.#read(variable)]);
  }

  readOne<Name extends 'protocol' | 'sampler'>(
    variable: string,
    name: Name,
    allowed: readonly NonNullable<OtlpFile[Name]>[],
  ): NonNullable<OtlpFile[Name]> | undefined {
    const rule = (text: string) => allowed.find((one) => one === text);
    const expected = `one of ${allowed.join(', ')}`;
    return this.file.find(name, [this.#chooser.read(this.#read(variable), rule, expected)]);
  }

  readPairs(variable: string, name: 'headers' | 'resource'): Record<string, string> {
    const expected = 'pairs such as name=value,other=value';
    return this.file.find(name, [this.#chooser.read(this.#read(variable), readPairs, expected)]) ?? {};
  }

  readRatio(): number {
    const read = (text: string): number | undefined => {
      const ratio = Number(text);
      return ratio >= 0 && ratio <= 1 ? ratio : undefined;
    };
    const variable = this.#read('OTEL_TRACES_SAMPLER_ARG');
    return this.file.find('ratio', [this.#chooser.read(variable, read, 'a number from 0 to 1')]) ?? 1;
  }

  isOn(name: 'traces' | 'metrics', variable: string): boolean {
    const read = (text: string): boolean | undefined => ({ otlp: true, none: false })[text];
    const exporter = this.#read(variable);
    return this.file.find(name, [this.#chooser.read(exporter, read, '`otlp` or `none`')]) ?? true;
  }

  /** The values of OpenTelemetry's own instrumentations. */
  readContent(): boolean {
    const values: Record<string, boolean> = { true: true, span_only: true, false: false, no_content: false };
    const read = (text: string): boolean | undefined => values[text.toLowerCase()];
    const variable = this.#read('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT');
    return this.file.find('content', [this.#chooser.read(variable, read, '`true` or `false`')]) ?? false;
  }

  #read(variable: string): SettingCandidate<string> {
    return readVariable(this.#environment, variable);
  }
}

function readUrl(text: string): string | undefined {
  const url = URL.parse(text);
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:';
  return isHttp && url.username === '' && url.password === '' ? text : undefined;
}

/** Pairs as in W3C Baggage: values may be percent-encoded. */
function readPairs(text: string): Record<string, string> | undefined {
  const pairs: Record<string, string> = {};
  for (const pair of text.split(',').filter((part) => part.trim() !== '')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0)).trim();
    if (name === '') return undefined;
    try {
      pairs[name] = decodeURIComponent(pair.slice(at + 1).trim());
    } catch {
      return undefined;
    }
  }
  return pairs;
}
