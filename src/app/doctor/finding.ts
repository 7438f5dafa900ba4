/** The result of one check and, if there is a problem, what to do. */
export interface Finding {
  name: string;
  state: 'ok' | 'warning' | 'problem';
  message: string;
}
