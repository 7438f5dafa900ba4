export {
  type Account,
  type AccountObjects,
  type CreatedObject,
  type ObjectOwner,
  type PlacedObject,
  createAccountObjects,
} from './account-objects.ts';
