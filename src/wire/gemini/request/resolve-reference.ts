import { type JsonObject, type JsonValue, isJsonObject } from '#base';

/** The schema that a local `$ref` points to (`#`, `#/$defs/Name`, any JSON pointer); nothing for a remote one. */
export function resolveReference(root: JsonObject, reference: string): JsonObject | undefined {
  if (!reference.startsWith('#')) return undefined;
  const pointer = decodeFragment(reference.slice(1));
  if (pointer === '') return root;
  if (!pointer.startsWith('/')) return undefined;
  let value: JsonValue | undefined = root;
  for (const step of pointer.slice(1).split('/')) {
    value = stepInto(value, step.replaceAll('~1', '/').replaceAll('~0', '~'));
    if (value === undefined) return undefined;
  }
  return isJsonObject(value) ? value : undefined;
}

function stepInto(value: JsonValue | undefined, step: string): JsonValue | undefined {
  if (Array.isArray(value)) return /^\d{1,9}$/.test(step) ? value[Number(step)] : undefined;
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
