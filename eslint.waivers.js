// Every waiver of a lint budget: one entry, with its reason.
export default [];
