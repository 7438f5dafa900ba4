import type { OtlpObject } from './encode.ts';

/** `bigint` is an integer, `number` a double. */
export type AttributeValue = string | number | bigint | boolean | readonly string[];

/** OTLP's attributes; absent ones are left out. */
export function toAttributes(values: Readonly<Record<string, AttributeValue | undefined>>): OtlpObject[] {
  const attributes: OtlpObject[] = [];
  for (const [key, value] of Object.entries(values))
    if (value !== undefined) attributes.push({ key, value: toAnyValue(value) });
  return attributes;
}

function toAnyValue(value: AttributeValue): OtlpObject {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'bigint') return { intValue: value };
  if (typeof value === 'number') return { doubleValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return { arrayValue: { values: value.map((one) => ({ stringValue: one })) } };
}
