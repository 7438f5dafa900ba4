/** A built file of the dashboard. */
export interface DashboardFile {
  contentType: string;
  bytes: Buffer;
  /** The same, compressed; absent if that is no smaller. */
  gzip?: Buffer;
  brotli?: Buffer;
  /** Whether its name changes with its content. */
  isHashed: boolean;
}

/** The built files by their path below `/dashboard/`; undefined if there is no build. */
export type DashboardFiles = () => ReadonlyMap<string, DashboardFile> | undefined;

export const DASHBOARD_PAGE = 'index.html';
/** Where the page has the nonce of its response. */
export const NONCE_MARK = '__SLUICE_NONCE__';
