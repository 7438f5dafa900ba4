/**
 * Fields that hold the caller's own credentials, such as the token of an MCP server. Escaped quotes occur in JSON
 * kept as text.
 */
const CREDENTIAL =
  /("(?:authorization(?:_token)?|proxy-authorization|x-api-key|x-goog-api-key|api[-_]?key|access_token|client_secret|set-cookie|cookie)"\s*:\s*")(?:[^"\\]|\\.)*/gi;
/** Credentials in the addresses of MCP servers: the user, and the query from a parameter with such a name on. */
const ADDRESS_USER = /("(?:server_)?url"\s*:\s*"https?:(?:\\?\/){2})[^"\\/?#@]{1,500}(?=@|$)/g;
const ADDRESS_QUERY =
  /("(?:server_)?url"\s*:\s*"https?:[^"]{1,2000}?[?&][\w.-]{0,50}(?:key|token|secret|password|auth)=)[^"]*/gi;
/** All headers sent to a tool, whatever their names. */
const HEADERS = /("headers"\s*:\s*\{)([^{}]*)/gi;
/** Members of the schema of a parameter that is called `headers`, as tools have; none is the name of a header. */
const SCHEMA_MEMBERS = new Set([
  'type',
  'title',
  'description',
  'format',
  'default',
  'additionalProperties',
  'properties',
]);
const NAME = /"([^"\\]*)"\s*:/g;
const VALUE = /(:\s*")(?:[^"\\]|\\.)*/g;
const HIDDEN = '$1[hidden]';
/** Longer headers are hidden as a whole: hiding a megabyte of values one by one takes 0.1 s. */
const MOST_READ = 128 * 1024;
/** Each object takes as long as so many characters. */
const OBJECT_LENGTH = 128;
const ALL_HIDDEN = '"[hidden]":"[hidden]"';

/** Masks the credential fields of a body or its beginning; the rest stays byte for byte. */
export function hideCredentials(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  let unread = MOST_READ;
  const clean = text
    .replace(HEADERS, (all, head: string, members: string) => {
      unread -= members.length + OBJECT_LENGTH;
      if (unread < 0) return head + ALL_HIDDEN;
      return isSchema(members) ? all : head + members.replace(VALUE, HIDDEN);
    })
    .replace(CREDENTIAL, HIDDEN)
    .replace(ADDRESS_USER, HIDDEN)
    .replace(ADDRESS_QUERY, HIDDEN);
  return clean === text ? bytes : Buffer.from(clean, 'latin1');
}

function isSchema(members: string): boolean {
  const names = [...members.matchAll(NAME)].map(([, name = '']) => name);
  return names.length > 0 && names.every((name) => SCHEMA_MEMBERS.has(name));
}
