/** The most tokens that one credit, debit, price or daily limit may move: below 2^53 there is room for many of them. */
export const MAX_TOKENS = 1_000_000_000_000
