/** What a processor has of a life, read from its emulator and judged without our adapters, in the words of the user endpoint. */
export interface Truth {
  sales: Sale[]
  /** The checkout of each hosted page that was opened, and of each that was paid, a pending payment included. */
  opened: string[]
  paid: string[]
  /** How many payments went through, failed, or were taken back. */
  payments: { succeeded: number; failed: number; refunded: number; disputed: number }
}

/** Something that was sold. */
export interface Sale {
  /** What we know it by. */
  processorId: string
  isSubscription: boolean
  status: string
  /** Whether its first payment was made, or its trial has begun. What never began may be missing here. */
  begun: boolean
  renews: boolean
  /** When its period ends, as the beginning of an ISO time; null: it has none. */
  periodEnd: string | null
  /** How many of its periods were covered. */
  covered: number
}
