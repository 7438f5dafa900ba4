import type { KeyBook } from '../keys/key-record.ts';
import type { MemberBook } from '../members/member-book.ts';
import type { Directory } from '../organizations/directory.ts';
import type { SessionBook } from '../sessions/session-book.ts';
import { type Ownership, bindId, bindList } from './ownership.ts';

/** Keys, members and session tokens, for whoever is bound to one organization. */
export function bindIdentity(directory: Directory, own: Ownership): KeyBook & MemberBook & SessionBook {
  return {
    createKey: async (input) => {
      await own.project(input.projectId);
      return directory.createKey(input);
    },
    getKey: bindId(own.key, directory.getKey),
    listKeys: bindList(own, directory.listKeys),
    disableKey: bindId(own.key, directory.disableKey),
    enableKey: bindId(own.key, directory.enableKey),
    deleteKey: bindId(own.key, directory.deleteKey),
    setKeyExpiry: bindId(own.key, directory.setKeyExpiry),
    rotateKey: bindId(own.key, directory.rotateKey),
    setKeyLimit: bindId(own.key, directory.setKeyLimit),
    setRecurringLimit: bindId(own.key, directory.setRecurringLimit),
    addMember: async (input) => {
      await own.organization(input.organizationId);
      return directory.addMember(input);
    },
    getMember: bindId(own.member, directory.getMember),
    listMembers: bindList(own, directory.listMembers),
    setMemberRole: bindId(own.member, directory.setMemberRole),
    setMemberBudget: bindId(own.member, directory.setMemberBudget),
    removeMember: bindId(own.member, directory.removeMember),
    createSessionToken: async (input) => {
      await own.key(input.keyId);
      return directory.createSessionToken(input);
    },
    getSessionToken: bindId(own.sessionToken, directory.getSessionToken),
    listSessionTokens: bindList(own, directory.listSessionTokens),
    revokeSessionToken: bindId(own.sessionToken, directory.revokeSessionToken),
  };
}
