const LINK = /^#link=([0-9A-Za-z]+)$/;

/** The secret of the one-time link that opened the page; it is removed from the address and the history at once. */
export function takeLink(): string | undefined {
  const secret = LINK.exec(location.hash)?.[1];
  if (secret !== undefined) history.replaceState(null, '', `${location.pathname}#/`);
  return secret;
}

/** A link that is pasted into a tab of the dashboard changes only the fragment: loading the page again takes it. */
export function followLinks(): void {
  addEventListener('hashchange', () => LINK.test(location.hash) && location.reload());
}
