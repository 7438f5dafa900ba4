/** How long a provider may take to answer, and how long either side may be idle after that. */
export interface ContentTimeouts {
  firstEventMs: number;
  idleMs: number;
}
