/** Whose request it is, as the key tells. */
export interface Caller {
  keyId: string;
  keyLabel: string;
  organizationId: string;
  projectId: string;
  /** Milliseconds since the Unix epoch. */
  expiresAt?: number;
  /** How long the project keeps answers for replay; absent where it keeps none. */
  cacheTtlSeconds?: number;
}
