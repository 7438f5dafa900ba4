export {
  type Account,
  type AccountObjects,
  type MadeObject,
  type ObjectOwner,
  type PlacedObject,
  createAccountObjects,
} from './account-objects.ts';
