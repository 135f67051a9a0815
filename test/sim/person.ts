import { type AccountRecords, recordsOf } from '../../dev/emulators/core/acts/account-records.ts'
import type { Abilities } from '../../lib/processors/definition.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import type { There } from '../conformance/drivers/driver.ts'
import { thereOf } from '../conformance/drivers/drivers.ts'
import type { TestWorld } from '../support/world.ts'
import type { PartialLife } from './parts.ts'

/** Who lives a life, and what it knows: only what it was told. */
export interface Person {
  life: PartialLife
  /** The world as it has it: its own paywall. */
  world: TestWorld
  /** What its processor can and cannot do, what can happen there, and what is stored there of this life alone. */
  abilities: Abilities
  there: There
  records: AccountRecords
  email: string
  /** Null until a checkout has told it. */
  userId: string | null
  /** The addresses that were given for each idempotency key of a checkout. */
  addresses: Map<string, Set<string>>
  /** Of premium tokens: what was acknowledged, and each change whose outcome it was not told. */
  tokens: { known: number; unknown: number[] }
  /** The processor's ids of subscriptions whose cancellation was acknowledged and not taken back since. */
  cancelled: Set<string>
}

export function personOf(life: PartialLife, world: TestWorld): Person {
  const { processor } = life
  return {
    life,
    world,
    abilities: DEFINITIONS[processor].abilities,
    there: thereOf(world, world.paywall),
    records: recordsOf(world[processor], world.paywall.id),
    email: `life-${world.paywall.id}@example.com`,
    userId: null,
    addresses: new Map(),
    tokens: { known: 0, unknown: [] },
    cancelled: new Set(),
  }
}
