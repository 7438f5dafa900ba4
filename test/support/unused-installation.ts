import type { InstallationPorts } from '#accounts';

const unused = (): never => {
  throw new Error('this test uses no configuration and no stored payloads');
};

/** For operations that use the directory alone. */
export const UNUSED_INSTALLATION: InstallationPorts = {
  plans: unused,
  byokTerms: unused,
  deletePayloads: unused,
};
