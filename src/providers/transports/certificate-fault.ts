const FAULTS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another name',
};
const UNTRUSTED = /^(?:CERT_|DEPTH_ZERO_SELF|SELF_SIGNED_CERT|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF))/;

/** What is wrong with a certificate, by the code of the failed connection; undefined if it failed otherwise. */
export function findCertificateFault(code: string): string | undefined {
  return FAULTS[code] ?? (UNTRUSTED.test(code) ? 'is not trusted' : undefined);
}
