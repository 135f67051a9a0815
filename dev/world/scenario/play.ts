import { eventsOf } from '../hearing.ts'
import { createBuyer } from './buyer.ts'
import type { Life } from './lives.ts'
import { type Access, ownerOf } from './owner.ts'
import type { Stage } from './stage.ts'

/** A step of a life, and what there was after it. */
export interface Row {
  /** By the paywall's clock. */
  at: Date
  did: string
  /** The types of the events that the owner was told, in order. */
  events: string[]
  access: Access | null
}

/** Plays a life from its beginning to its end. */
export async function* play(stage: Stage, life: Life): AsyncGenerator<Row> {
  const owner = ownerOf(stage)
  const buyer = createBuyer(stage, owner)
  for (const { does, run } of life.steps) {
    let refusal: string | null = null
    const events = await eventsOf(stage.world, stage.paywall.id, async () => {
      refusal = await run(buyer)
    })
    const did = refusal === null ? does : `${does}: refused, ${refusal}`
    yield { at: await stage.world.clock.now(stage.paywall.id), did, events, access: await owner.access() }
  }
}
