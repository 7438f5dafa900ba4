/** Headers as `node:http` gives them: lower-case names. */
export type HttpHeaders = Readonly<Record<string, string | string[] | undefined>>;
