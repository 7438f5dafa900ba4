/** A credential that cannot be used at all, such as a key file that is no key. */
export class CredentialError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CredentialError';
  }
}
