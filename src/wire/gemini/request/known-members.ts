import type { JsonObject } from '#base';
import { isObject, refuse } from '../../body/read-field.ts';
import type { Members } from '../../body/unchecked.ts';
import { findMember, findSpelling } from '../members.ts';
import { type GeminiBody, geminiRequestSchema, generationConfig, toolConfig } from '../schema.ts';

const SENT = Object.keys(geminiRequestSchema.properties);
const SENT_CONFIG = Object.keys(generationConfig.properties);
const SENT_TOOL_CONFIG = Object.keys(toolConfig.properties);

/** Members that are not forwarded but would change the answer or the model: they are refused rather than dropped. */
const REFUSED = ['modelArmorConfig'];
const REFUSED_CONFIG = ['modelConfig', 'modelSelectionConfig', 'routingConfig'];

/** Throws if dropping a member would change the answer. */
export function refuseUnsent(body: Members<GeminiBody>): void {
  refuseAny(body, REFUSED, '');
  const config = findMember(body, 'generationConfig');
  if (isObject(config)) refuseAny(config, REFUSED_CONFIG, 'generationConfig.');
}

function refuseAny(owner: JsonObject, names: readonly string[], path: string): void {
  const name = names.find((each) => findMember(owner, each) !== undefined);
  if (name !== undefined) refuse(path + name, 'is not forwarded by this gateway; omit it');
}

/** Copies the members that the schema names, their values unchanged. */
export function keepKnown(body: JsonObject): JsonObject {
  const kept = pick(body, SENT);
  keepInside(kept, 'generationConfig', SENT_CONFIG);
  keepInside(kept, 'toolConfig', SENT_TOOL_CONFIG);
  return kept;
}

function keepInside(body: JsonObject, name: string, names: readonly string[]): void {
  const spelled = findSpelling(body, name);
  const inner = spelled === undefined ? undefined : body[spelled];
  if (spelled === undefined || !isObject(inner)) return;
  const kept = pick(inner, names);
  const count = Object.keys(kept).length;
  if (count === 0) Reflect.deleteProperty(body, spelled);
  else if (count < Object.keys(inner).length) body[spelled] = kept;
}

/** Each member in the spelling that was read; a duplicate in the other spelling is dropped. */
function pick(owner: JsonObject, names: readonly string[]): JsonObject {
  const kept: JsonObject = {};
  for (const name of names) {
    const spelled = findSpelling(owner, name);
    if (spelled !== undefined) kept[spelled] = owner[spelled];
  }
  return kept;
}
