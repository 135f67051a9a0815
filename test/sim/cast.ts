import type { PaywallFile } from '../../cli/paywall-file/file.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import { getDriver } from '../conformance/drivers/drivers.ts'
import { addUnmatchedPrices, teamPlan } from '../conformance/drivers/plans.ts'
import { setUp } from '../conformance/drivers/set-up.ts'
import { createFaultInjector, type FaultInjector } from './fault-injection.ts'
import { MOST_LIVES } from './history.ts'
import { holdLiveEvents, type OwnerBackend, ownerBackend } from './owner-backend.ts'
import type { PartialHistory, PartialLife } from './parts.ts'
import { endLeases, retryUntilDone } from './passing-time.ts'
import { getFile, type Ids } from './paywalls.ts'
import { type Company, createCompany } from './person.ts'
import type { Stage } from './stage.ts'

/** The companies of a history, and their environment. */
export interface Cast {
  companies: Company[]
  faultInjector: FaultInjector
  backend: OwnerBackend
  /** The owner changes the monthly price of a life's paywall. */
  edit(company: Company): Promise<void>
}

/** The number of histories so far. Each has paywalls of its own. */
let played = 0

/** Creates an owner with a paywall for each life of a history, and starts to inject faults. */
export async function assembleCast(stage: Stage, history: PartialHistory): Promise<Cast> {
  played += 1
  const getIds = ({ number }: PartialLife): Ids => [
    `${played * 2 * MOST_LIVES + number}`,
    `${(played * 2 + 1) * MOST_LIVES + number}`,
  ]
  const written = getFile(history, getIds, `${stage.world.receiver.url}/webhooks`)
  const file = await written.read()
  await stage.putUp(file)
  await holdLiveEvents(stage.world)
  const inFile = (id: string, { paywalls }: PaywallFile) => paywalls.find((paywall) => paywall.id === id)!
  const getWorld = (id: string) => {
    const paywall = inFile(id, file)
    const key = file.keys.find(({ is_test: isTest }) => isTest === paywall.is_test)?.secret ?? ''
    return { ...stage.world, file, key, paywall }
  }
  const companies = history.lives.flatMap((life) => {
    const [id, other] = getIds(life)
    if (life.paywalls === 'one') return createCompany(life, [getWorld(id)], id)
    if (life.paywalls === 'two of an account') return createCompany(life, [getWorld(id), getWorld(other)], id)
    return [createCompany(life, [getWorld(id)], id), createCompany(inRealTime(life), [getWorld(other)], id)]
  })
  for (const { life, world } of companies) {
    const { setup, processor: acquiring } = life
    await setUp(world[acquiring], world.paywall.id, setup)
    await addUnmatchedPrices({ world, acquiring, paywall: world.paywall }, teamPlan(acquiring))
  }
  const faultInjector = createFaultInjector(companies.flatMap(getFaultTargets), (paywallId) =>
    endLeases(stage.world, paywallId),
  )
  const backend = ownerBackend(faultInjector)
  stage.faults.length = 0
  stage.sendWebhook = faultInjector.sendWebhook
  stage.world.receiver.answer = backend.answer
  for (const acquiring of PROCESSOR_NAMES) stage.world[acquiring].onCall = faultInjector.onCall

  /** Serializes the edits, since each applies the whole file. An edit that fails because of a kill is repeated. */
  let turn: Promise<unknown> = Promise.resolve()
  const putUp = async ({ worlds }: Company): Promise<PaywallFile> => {
    for (const { paywall } of worlds) written.edit(paywall.id)
    const edited = await written.read()
    await retryUntilDone('a price is edited', async () => ({ applied: await stage.putUp(edited) }))
    return edited
  }
  async function edit(company: Company): Promise<void> {
    const edited = turn.then(() => putUp(company))
    turn = edited.catch(() => undefined)
    const now = await edited
    for (const world of company.worlds) world.paywall = inFile(world.paywall.id, now)
  }
  return { companies, faultInjector, backend, edit }
}

/** Adapts a life to a live paywall, whose clock cannot be moved: no days pass, and nothing depends on later polls. */
const inRealTime = (life: PartialLife): PartialLife => ({
  ...life,
  webhooks: 'all',
  setup: { ...life.setup, lagSeconds: 0 },
  steps: life.steps.map((step) => (step?.act === 'wait' ? null : step)),
})

const getFaultTargets = ({ life: { processor, webhooks }, worlds }: Company) =>
  worlds.map((world) => ({
    paywallId: world.paywall.id,
    account: world[processor].getAccount(world.paywall.id),
    opensPage: getDriver(processor).opensPage,
    webhooks,
  }))
