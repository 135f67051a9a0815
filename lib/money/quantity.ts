/**
 * The largest number of units that a checkout or a change of plan can ask for, such as seats. A subscription may have more, if the owner
 * sets that at the processor.
 */
export const MAX_QUANTITY = 10_000
