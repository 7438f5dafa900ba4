/** One thing that was looked at: what is, and where it is wrong what to do. */
export interface Finding {
  name: string;
  state: 'ok' | 'warning' | 'problem';
  message: string;
}
