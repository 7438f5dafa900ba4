/** A signature or encrypted reasoning with its issuer (`Dialect.issuer`). */
interface Sealed {
  secret: string;
  issuer: string;
}

const SEAL = /^sluice\.([\w-]+)\.(.*)$/s;

/**
 * Marks a secret with its issuer for clients of another kind, so that it is returned only there. A secret of the
 * client's own kind (`native`) is kept byte for byte.
 */
export function seal({ secret, issuer }: Sealed, native: string): string {
  return issuer === native ? secret : `sluice.${issuer}.${secret}`;
}

/** Reads a secret that a client sent back; an unmarked one belongs to the client's own kind. */
export function unseal(text: string, native: string): Sealed {
  const match = text.startsWith('sluice.') ? SEAL.exec(text) : null;
  const [, issuer = native, secret = text] = match ?? [];
  return { secret, issuer };
}
