/** One operation on the ledger. */
export type Step =
  | {
      t: 'reserve';
      owner: number;
      id: string;
      key: number;
      amount: number;
      least: number | null;
      final: boolean;
      /** Where the amount does not fit, half of what is left is taken, and at least so much. */
      share?: number;
    }
  | { t: 'grow'; owner: number; id: string; amount: number; least: number }
  | { t: 'settle'; owner: number; settlements: ModelSettlement[] }
  | { t: 'beat'; owner: number; progress: { id: string; customer: number }[] }
  | { t: 'release'; owner: number; ids: string[] }
  | ReportStep
  /** The journals of a process that is gone have been written as a whole. */
  | { t: 'return'; owner: number }
  /** Its heartbeat is too old: it crashed, or is suspended and resumes with a beat. */
  | { t: 'silence'; owner: number }
  /** The database's clock jumps forward: every heartbeat is too old. */
  | { t: 'leap' }
  /** Time passes for the limits that renew. */
  | { t: 'pass'; ms: number }
  | { t: 'sweep'; owner: number; exclusive: boolean };

/** `lease`: what it was admitted on, if none of it was reported there. */
export interface ModelSettlement {
  id: string;
  key: number;
  customer: number;
  lease?: string;
}

/** What a process reports of its leases, all or nothing. */
export interface ReportStep {
  t: 'report';
  owner: number;
  leases: { id: string; key: number; keep: number; want: number; least: number }[];
  /** Requests that get holds of their own. */
  opened: { id: string; lease: string; amount: number }[];
  /** Of requests with holds of their own. */
  bills: { id: string; customer: number }[];
  /** Of requests that ended on their lease. */
  leased: { id: string; lease: string; customer: number }[];
}
