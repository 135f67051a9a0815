import type { ProcessorName } from './processor-name.ts'

/** An owner's account at a processor, as the database has it: `credentials` are encrypted. */
export interface SealedAccount {
  paywallId: string
  acquiring: ProcessorName
  credentials: string
  /** Whether the paywall is a test paywall. */
  isTest: boolean
  /** How far the paywall's clock is ahead of the real time. */
  clockAheadSeconds: number
}

/** The time by the paywall's clock. */
export const accountTime = ({ clockAheadSeconds }: SealedAccount): Date =>
  new Date(Date.now() + clockAheadSeconds * 1000)

/** What the credentials of an account are sealed for: moved to another account they do not open. */
export const accountContext = ({ paywallId, acquiring }: { paywallId: string; acquiring: string }) =>
  `processor:${paywallId}:${acquiring}`
