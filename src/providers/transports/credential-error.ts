/** A credential that cannot be used at all, such as an invalid key file. */
export class CredentialError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CredentialError';
  }
}
