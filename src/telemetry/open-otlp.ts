import type { Otlp, OtlpPorts, OtlpSettings } from './create-otlp.ts';

/** Opens the export; its code is loaded when it is enabled. */
export async function openOtlp(settings: OtlpSettings, ports: OtlpPorts): Promise<Otlp> {
  const { createOtlp } = await import('./create-otlp.ts');
  return createOtlp(settings, ports);
}
