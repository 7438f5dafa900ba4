/** What the tests use of the package, which has no types of its own. */
declare module 'oidc-provider' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  export class Provider {
    constructor(issuer: string, configuration: object);
    readonly Grant: new (facts: { accountId: string; clientId: string }) => {
      addOIDCScope(scopes: string): void;
      save(): Promise<string>;
    };
    callback(): RequestListener;
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  }
}
