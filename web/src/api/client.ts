import type { paths } from './schema.ts';

/** The gateway's address: the page is at `<address>/dashboard/`, whatever prefix a proxy adds. */
export const GATEWAY = new URL('../', document.baseURI).href.replace(/\/$/, '');

/** A refusal of the gateway, or the lack of an answer. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** The member of the request at fault; empty if there is none. */
  readonly param: string;
  readonly requestId: string | undefined;

  constructor(
    message: string,
    { status, code, param = '', requestId }: Pick<ApiError, 'status' | 'code'> & Partial<ApiError>,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
    this.requestId = requestId;
  }
}

type Method = 'get' | 'post' | 'delete';
type Json<Operation> = Operation extends {
  responses: { 200: { content: { 'application/json': infer Answer } } };
}
  ? Answer
  : never;
type Body<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Given } } }
  ? Given
  : never;
/** The answer of an operation as `docs/openapi.json` describes it. */
export type AnswerOf<Path extends keyof paths, Verb extends Method> = Json<paths[Path][Verb]>;

interface CallOptions<Given> {
  id?: string;
  query?: Readonly<Record<string, string | undefined>>;
  body?: Given;
}

/** Calls an operation of the gateway's own API; throws `ApiError`. */
export async function call<Path extends keyof paths, Verb extends Method>(
  verb: Verb,
  path: Path,
  { id = '', query = {}, body }: CallOptions<Body<paths[Path][Verb]>> = {},
): Promise<AnswerOf<Path, Verb>> {
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
  const address = GATEWAY + path.replace('{id}', encodeURIComponent(id)) + search;
  const response = await fetch(address, {
    method: verb.toUpperCase(),
    headers: { 'x-sluice-dashboard': '1', ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    const advice = verb === 'get' ? 'this page tries again.' : 'try again in a moment.';
    throw new ApiError(`The gateway does not answer. It may be restarting; ${advice}`, {
      status: 0,
      code: 'offline',
    });
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as AnswerOf<Path, Verb>;
  throw toError(response, answer);
}

function toError(response: Response, answer: unknown): ApiError {
  const { error } = (answer ?? {}) as { error?: { message?: string; code?: string; param?: string } };
  const requestId = response.headers.get('x-request-id');
  return new ApiError(error?.message ?? `The gateway answered with status ${response.status}.`, {
    status: response.status,
    code: error?.code ?? 'unknown',
    param: error?.param ?? '',
    ...(requestId !== null && { requestId }),
  });
}
