import type { Directory } from '../organizations/directory.ts';
import type { ByokBook } from '../byok/byok-book.ts';
import { type Ownership, bindList } from './ownership.ts';

/** What an organization brought along, for whoever is bound to that organization. */
export function bindByok(directory: Directory, own: Ownership): ByokBook {
  /** A method whose input names the organization. */
  const bind =
    <Input extends { organizationId: string }, Rest extends unknown[], Value>(
      run: (input: Input, ...rest: Rest) => Promise<Value>,
    ) =>
    async (input: Input, ...rest: Rest): Promise<Value> => {
      await own.organization(input.organizationId);
      return run(input, ...rest);
    };
  return {
    findByok: async (organizationId) => {
      await own.organization(organizationId);
      return directory.findByok(organizationId);
    },
    setProviderKey: bind(directory.setProviderKey),
    listProviderKeys: bindList(own, directory.listProviderKeys),
    removeProviderKey: bind(directory.removeProviderKey),
    addCustomProvider: bind(directory.addCustomProvider),
    changeCustomProvider: bind(directory.changeCustomProvider),
    listCustomProviders: bindList(own, directory.listCustomProviders),
    removeCustomProvider: bind(directory.removeCustomProvider),
    addCustomModel: bind(directory.addCustomModel),
    listCustomModels: bindList(own, directory.listCustomModels),
    removeCustomModel: bind(directory.removeCustomModel),
  };
}
