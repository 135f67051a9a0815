import type { TestWorld } from '../support/world.ts'
import type { PartialLife } from './parts.ts'

/** Who lives a life, and what it knows: only what it was told. */
export interface Person {
  life: PartialLife
  /** The world as it has it: its own paywall. */
  world: TestWorld
  email: string
  /** Null until a checkout has told it. */
  userId: string | null
  /** The addresses that were given for each idempotency key of a checkout. */
  addresses: Map<string, Set<string>>
  /** Of premium tokens: what was acknowledged, and each change whose outcome it was not told. */
  tokens: { known: number; unknown: number[] }
  /** The processor's ids of subscriptions whose cancellation was acknowledged and not taken back since. */
  cancelled: Set<string>
  /** What went wrong already while it lived. */
  faults: string[]
}

export const paywallIdOf = ({ world }: Person) => world.paywall.id

export function personOf(life: PartialLife, world: TestWorld): Person {
  return {
    life,
    world,
    email: `life-${world.paywall.id}@example.com`,
    userId: null,
    addresses: new Map(),
    tokens: { known: 0, unknown: [] },
    cancelled: new Set(),
    faults: [],
  }
}
