import { beforeAll, expect } from 'vitest'
import * as z from 'zod'
import { allowSeveralSubscriptions } from '../../dev/emulators/emulators.ts'
import type { Month } from '../../dev/world/scenario/months.ts'
import type { OwnerEvent } from '../../dev/world/scenario/owner-event.ts'
import { type Played, play, type Row } from '../../dev/world/scenario/play.ts'
import { readDemo, type Stage } from '../../dev/world/scenario/stage.ts'
import type { Scenario } from '../../dev/world/scenario/steps.ts'
import { chargeText, eventText } from '../../dev/world/scenario/table.ts'
import { PROCESSOR_NAMES, type ProcessorName } from '../../lib/processors/processor-name.ts'
import { untilAllDelivered } from '../support/owner-events.ts'
import { type TestWorld, useTestWorld } from '../support/world.ts'

type TestStage = Stage & { world: TestWorld }

/** One stage per processor, all in one world: the demo's paywall at each processor. */
export function useStages(): (acquiring: ProcessorName) => TestStage {
  const world = useTestWorld()
  let stages: TestStage[] = []
  beforeAll(async () => {
    stages = await createStages(world)
  })
  return (acquiring) => {
    const stage = stages.find(({ paywall }) => paywall.processor.acquiring === acquiring)
    if (!stage) throw new Error(`no paywall sells through ${acquiring}`)
    return stage
  }
}

async function createStages(world: TestWorld): Promise<TestStage[]> {
  const receiver = Number(new URL(world.receiver.url).port)
  const file = await readDemo(PROCESSOR_NAMES, { receiver, secrets: world.secrets })
  await world.apply(file)
  allowSeveralSubscriptions(world)
  return file.paywalls.map((paywall) => ({ world, paywall, key: file.keys[0]?.secret ?? '' }))
}

const Delivered = z.object({ id: z.string(), type: z.string(), data: z.object({ paywall_id: z.string() }) })

/** Plays a scenario, and checks that the owner's backend received every event, signed. */
export async function playAndDeliver(stage: TestStage, scenario: Scenario): Promise<Played> {
  const { world, paywall } = stage
  const played = await play(stage, scenario)
  await untilAllDelivered(world)
  const received = world.receiver.received
    .filter(({ verified }) => verified)
    .map(({ body }) => Delivered.parse(JSON.parse(body)))
    .filter(({ data }) => data.paywall_id === paywall.id)
  const types = [...new Map(received.map(({ id, type }) => [id, type])).values()]
  expect(types.toSorted()).toEqual(played.steps.flatMap(({ events }) => events.map(({ type }) => type)).toSorted())
  return played
}

/** The texts of the processor's charges, month by month. */
export const chargesByMonth = (months: Month[]) => months.map(({ charges }) => charges.map(chargeText))

/**
 * The texts of the owner's events, month by month, sorted. Left out: subscription.updated, because a new period may show before it is paid.
 */
export const eventsByMonth = (months: Month[]) => months.map(({ events }) => eventTexts(events))

const eventTexts = (events: OwnerEvent[]) =>
  events
    .filter(({ type }) => type !== 'subscription.updated')
    .map(eventText)
    .toSorted()

/** The text of a step, with the events and the access after it. */
export const stepTexts = (steps: Row[]) =>
  steps.map(({ did, events, access }) => ({ did, events: eventTexts(events), access }))
