/** What the text of a member refers to. */
export type Role = 'object' | 'model' | 'address' | 'file' | 'skill' | 'connector' | 'spare' | 'conversation';

const ROLES = new Map<string, Role>([
  ['model', 'model'],
  ['modelName', 'model'],
  ['model_name', 'model'],
  ['fileUri', 'file'],
  ['file_uri', 'file'],
  ['file_url', 'address'],
  ['image_url', 'address'],
  ['gcsUri', 'address'],
  ['gcs_uri', 'address'],
  ['container', 'object'],
  ['cachedContent', 'object'],
  ['cached_content', 'object'],
  ['datastore', 'object'],
  ['dataStore', 'object'],
  ['data_store', 'object'],
  ['engine', 'object'],
  ['apiKeySecretVersion', 'object'],
  ['api_key_secret_version', 'object'],
  ['serviceAccount', 'object'],
  ['service_account', 'object'],
  ['ragCorpus', 'object'],
  ['rag_corpus', 'object'],
  ['skill_id', 'skill'],
  ['connector_id', 'connector'],
]);

/** Members with the names of several objects. */
const LISTS =
  /^(?:file_?search_?store_?names|rag_?file_?ids|(?:\w+_)?(?:file|container|vector_?store|skill)_?ids)$/i;

/** Members whose object has the id of an object in the account. */
const HOLDERS: ReadonlySet<string> = new Set(['container', 'audio', 'voice']);

/** Ids of objects in an account; ids of calls, items and end users belong to the conversation. */
const FAMILIES =
  /^(?:\w+_)?(?:file|container|vector_?store|tunnel|thread|assistant|voice|upload|batch|memory_?store|vault|knowledge_?base|comparison_response|previous_message)_?id$/i;

/** Members with free text of a caller, a model or a tool. */
export const OPAQUE: ReadonlySet<string> = new Set([
  'args',
  'arguments',
  'example',
  'input',
  'input_examples',
  'input_schema',
  'json_schema',
  'metadata',
  'output_schema',
  'parameters',
  'parametersJsonSchema',
  'parameters_json_schema',
  'partMetadata',
  'part_metadata',
  'properties',
  'response',
  'responseJsonSchema',
  'response_json_schema',
  'schema',
]);

/** Members that refer to something only inside some others (see `findRole`). */
const DEPENDENT: ReadonlySet<string> = new Set(['id', 'url', 'previous_message_id']);
/** Bodies repeat few names; a body with many different ones must not fill the memory. */
const MOST_NAMES = 1_000;
const MOST_LENGTH = 64;
const DECIDED = new Map<string, boolean>();

/** Whether the text of a member may be a reference, by its name alone. */
export function mayRefer(name: string): boolean {
  const decided = DECIDED.get(name);
  if (decided !== undefined) return decided;
  const may = ROLES.has(name) || DEPENDENT.has(name) || FAMILIES.test(name);
  if (DECIDED.size < MOST_NAMES && name.length <= MOST_LENGTH) DECIDED.set(name, may);
  return may;
}

/** What the text of a member refers to; `holder` is the member that contains its object. */
export function findRole(name: string, holder: string): Role | undefined {
  const known = ROLES.get(name);
  if (known !== undefined) return known;
  if (name === 'id') return HOLDERS.has(holder) ? 'object' : undefined;
  if (name === 'url') return holder === 'source' || holder === 'image_url' ? 'address' : undefined;
  if (name === 'previous_message_id' && holder === 'diagnostics') return 'spare';
  if (name === 'previous_message_id' && holder === 'thread') return 'conversation';
  return (name.endsWith('id') || name.endsWith('Id')) && FAMILIES.test(name) ? 'object' : undefined;
}

/** Whether each text of a list names an object. */
export function isIdList(name: string): boolean {
  const end = name.slice(-3);
  return (end === 'ids' || end === 'Ids' || end === 'mes') && LISTS.test(name);
}
