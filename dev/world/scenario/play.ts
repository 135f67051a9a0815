import type { ProcessorName } from '../../../lib/processors/processor-name.ts'
import { readEvents, settle } from '../capture-events.ts'
import { createBuyer } from './buyer.ts'
import { readCharges } from './charges.ts'
import { byMonth, type Month, nextMonth } from './months.ts'
import { type Access, createOwner } from './owner.ts'
import { type OwnerEvent, toOwnerEvent } from './owner-event.ts'
import type { Stage } from './stage.ts'
import type { Scenario } from './steps.ts'

/** A step of a scenario and the state after it. */
export interface Row {
  /** By the paywall's clock. */
  at: Date
  did: string
  /** In order. */
  events: OwnerEvent[]
  access: Access | null
}

/** A scenario as played at a processor. */
export interface Played {
  processor: ProcessorName
  steps: Row[]
  months: Month[]
}

/** Plays a scenario, which begins on the first of a month, and calls `show` after each step. */
export async function play(
  stage: Stage,
  scenario: Scenario,
  show: (row: Row) => void = () => undefined,
): Promise<Played> {
  const { world, paywall } = stage
  const owner = createOwner(stage)
  const buyer = createBuyer(stage, owner)
  await world.clock.moveTo(paywall.id, nextMonth(await world.clock.now(paywall.id)))
  const steps: Row[] = []
  const known = new Set<string>()
  for (const { title, run } of scenario.steps) {
    const problem = await run(buyer)
    await settle(world, paywall.id)
    const events = (await readEvents(world, paywall.id)).filter(({ id }) => !known.has(id))
    for (const { id } of events) known.add(id)
    const did = problem === null ? title : `${title}: ${problem}`
    const at = await world.clock.now(paywall.id)
    const row = { at, did, events: events.map(toOwnerEvent), access: await owner.access() }
    steps.push(row)
    show(row)
  }
  return { processor: paywall.processor.acquiring, steps, months: byMonth(steps, readCharges(stage)) }
}
