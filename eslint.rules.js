// The compiler checks the members of an object literal, but not those of one that is spread into it, such as
// `...(isLong && { misspelt: 1 })`.
const checkedSpread = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { unknown: "'{{name}}' is not a member of the object it is spread into." },
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    const checker = services.program.getTypeChecker();
    return {
      'ObjectExpression > SpreadElement'(spread) {
        const literals = findLiterals(spread.argument);
        if (literals.length === 0) return;
        const type = checker.getContextualType(services.esTreeNodeToTSNodeMap.get(spread.parent));
        const owners = type && listObjectTypes(type, checker);
        if (!owners || owners.length === 0) return;
        for (const { key } of literals.flatMap((literal) => literal.properties)) {
          if (key?.type !== 'Identifier' || owners.some((owner) => owner.getProperty(key.name))) continue;
          context.report({ node: key, messageId: 'unknown', data: { name: key.name } });
        }
      },
    };
  },
};

/** The object literals that an expression may be. */
function findLiterals(node) {
  switch (node.type) {
    case 'ObjectExpression':
      return [node];
    case 'LogicalExpression':
      return [...findLiterals(node.left), ...findLiterals(node.right)];
    case 'ConditionalExpression':
      return [...findLiterals(node.consequent), ...findLiterals(node.alternate)];
    default:
      return [];
  }
}

/** The objects of a type; none if one of them accepts any member. */
function listObjectTypes(type, checker) {
  const types = type.isUnion() ? type.types : [type];
  const objects = types.filter((one) => one.getProperties().length > 0 || isOpen(one, checker));
  return objects.some((one) => isOpen(one, checker)) ? [] : objects;
}

function isOpen(type, checker) {
  return (
    type.getStringIndexType() !== undefined || checker.typeToString(type) === 'any' || type.isTypeParameter()
  );
}

export default { rules: { 'checked-spread': checkedSpread } };
