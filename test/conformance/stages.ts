import { afterAll, beforeAll } from 'vitest'
import { readPaywallFile } from '../../cli/paywall-file/file.ts'
import { DEMO_PORTS, demoAt } from '../../dev/world/demo.ts'
import type { Month } from '../../dev/world/scenario/months.ts'
import type { Row, ToldEvent } from '../../dev/world/scenario/play.ts'
import { allowUpgrades, demoAtEach, type Stage } from '../../dev/world/scenario/stage.ts'
import { chargeText, eventText } from '../../dev/world/scenario/table.ts'
import { fileEnvironment } from '../../dev/world/secrets.ts'
import { ACQUIRING, type Acquiring } from '../../lib/processors/acquiring.ts'
import { startTestWorld, type TestWorld } from '../support/world.ts'

/** Five stages in one world: the demo's paywall at each processor. */
export function useStages(): (acquiring: Acquiring) => Stage {
  let world: TestWorld
  let stages: Stage[] = []
  beforeAll(async () => {
    world = await startTestWorld()
    stages = await stagesIn(world)
  })
  afterAll(() => world.close())
  return (acquiring) => {
    const stage = stages.find(({ paywall }) => paywall.processor.acquiring === acquiring)
    if (!stage) throw new Error(`nothing is sold through ${acquiring}`)
    return stage
  }
}

async function stagesIn(world: TestWorld): Promise<Stage[]> {
  const receiver = Number(new URL(world.receiver.url).port)
  const text = JSON.stringify(demoAtEach(ACQUIRING))
  const read = await readPaywallFile(demoAt({ ...DEMO_PORTS, receiver }, text), fileEnvironment(world.secrets))
  if ('errors' in read) throw new Error(read.errors.join('\n'))
  const { file } = read
  await world.apply(file)
  allowUpgrades(world)
  return file.paywalls.map((paywall) => ({ world, paywall, key: file.keys[0]?.secret ?? '' }))
}

/** What the processor charged, month by month. */
export const charged = (months: Month[]) => months.map(({ charges }) => charges.map(chargeText))

/** What the owner was told, month by month, sorted. A new period may show before it is paid: that is left out. */
export const told = (months: Month[]) => months.map(({ events }) => eventTexts(events))

const eventTexts = (events: ToldEvent[]) =>
  events
    .filter(({ type }) => type !== 'subscription.updated')
    .map(eventText)
    .toSorted()

/** What is said of a step, with the events and the access after it. */
export const stepTexts = (steps: Row[]) =>
  steps.map(({ did, events, access }) => ({ did, told: eventTexts(events), access }))
