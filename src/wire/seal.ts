/** A signature or encrypted reasoning, and whose it is (`Dialect.issuer`). */
interface Sealed {
  secret: string;
  issuer: string;
}

const SEAL = /^sluice\.([\w-]+)\.(.*)$/s;

/**
 * A secret as a client of another kind keeps it: marked with its issuer, so that it goes back only there. What belongs to
 * the client's own kind (`native`) stays as it is, byte for byte.
 */
export function seal({ secret, issuer }: Sealed, native: string): string {
  return issuer === native ? secret : `sluice.${issuer}.${secret}`;
}

/** Whose secret a client sent back; one without a mark belongs to the client's own kind. */
export function unseal(text: string, native: string): Sealed {
  const match = text.startsWith('sluice.') ? SEAL.exec(text) : null;
  const [, issuer = native, secret = text] = match ?? [];
  return { secret, issuer };
}
