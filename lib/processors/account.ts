import type { ProcessorName } from './processor-name.ts'

/** An owner's account at a processor as stored in the database: `credentials` are encrypted. */
export interface SealedAccount {
  paywallId: string
  acquiring: ProcessorName
  credentials: string
  /** Whether the paywall is a test paywall. */
  isTest: boolean
  /** Offset of the paywall's clock from real time. */
  clockAheadSeconds: number
}

/** The time by the paywall's clock. */
export const accountTime = ({ clockAheadSeconds }: SealedAccount): Date =>
  new Date(Date.now() + clockAheadSeconds * 1000)

/** AES-GCM additional data: binds the ciphertext to this paywall and processor. */
export const accountContext = ({ paywallId, acquiring }: { paywallId: string; acquiring: string }) =>
  `processor:${paywallId}:${acquiring}`
