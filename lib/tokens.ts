/** The most tokens that one credit, debit, plan or daily limit may move. */
export const MAX_TOKENS = 1_000_000_000_000
