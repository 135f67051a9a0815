// Simulates one history in a running world:
// 1. Create an owner with a paywall for each life.
// 2. Run all lives at the same time, one step of each in every round. Meanwhile processes are killed, if the round has a kill.
// 3. Stop all faults, and wait for work in progress. A life must be correct now if all of its webhooks arrived, its reads were never stale
//    and no days passed.
// 4. Move the clocks of the test paywalls far enough that reconcile has found what no webhook reported, as docs/operations.md promises. All
//    lives on test paywalls must be correct now.
// 5. Move these clocks by the rest of a month: cancelled subscriptions end, trials are paid. These lives must still be correct.
import { setTimeout as delay } from 'node:timers/promises'
import { sendsPlanChangeWebhook } from '../conformance/drivers/plans.ts'
import { call } from '../support/call.ts'
import { buy, cancel, changeTokens, payAgain, read } from './acts.ts'
import { assembleCast, type Cast } from './cast.ts'
import { checkAccess, checkInvariants } from './check-invariants.ts'
import type { FaultInjector } from './fault-injection.ts'
import { ROUNDS } from './history.ts'
import { killInRound } from './kills.ts'
import { writtenEvents } from './owner-backend.ts'
import type { PartialHistory } from './parts.ts'
import { advanceDays, makeAllDue } from './passing-time.ts'
import type { Company } from './person.ts'
import { changePlan, previewPlan } from './plan-changes.ts'
import { performAct } from './processor-acts.ts'
import { settle } from './settle.ts'
import { mergeAll, signIn } from './sign-in.ts'
import type { Stage } from './stage.ts'
import type { Slug, Step } from './step.ts'

/** The violations by the number of their life; -1: they belong to no life. */
export type Faults = Map<number, string[]>

/**
 * In days: first longer than the week in which reconcile polls every subscription, than a trial, and than the grace period of a past due
 * subscription. Then the rest of a monthly period.
 */
const SETTLE_DAYS = [8, 24]

/**
 * Plays a history and returns its violations. `isEnough` gets the violations so far after each check; if it returns true, the rest of the
 * history is skipped.
 */
export async function play(
  stage: Stage,
  history: PartialHistory,
  isEnough: (faults: Faults) => boolean = () => false,
): Promise<Faults> {
  const cast = await assembleCast(stage, history)
  const { companies, faultInjector } = cast
  const found: Faults = new Map()
  const isOver = async (judged: Company[], known: Moment) => {
    for (const [number, faults] of await findViolations(stage, cast, judged, known)) found.set(number, faults)
    return isEnough(found)
  }
  for (let round = 0; round < ROUNDS; round++) await playRound(stage, history, cast, round)
  await settle(stage, cast)
  const reported = companies.filter((company) => wasFullyReported(company, faultInjector))
  const upToDate = reported.filter(isUpToDate)
  if (await isOver(upToDate, { reported, isQuiet: false })) return found
  for (const days of SETTLE_DAYS) {
    await Promise.all(companies.filter(isOfTests).map((company) => advanceTime(company, days, cast)))
    await settle(stage, cast)
    const judged = companies.filter((company) => isOfTests(company) || upToDate.includes(company))
    if (await isOver(judged, { reported, isQuiet: true })) break
  }
  return found
}

/** `reported`: the companies for which `wasFullyReported` holds. `isQuiet`: see `Knowledge`. */
interface Moment {
  reported: Company[]
  isQuiet: boolean
}

const isOfTests = ({ world }: Company) => world.paywall.is_test

/** Checks the `judged` companies. Returns their violations, and those that were found so far while any life was played. */
async function findViolations(stage: Stage, cast: Cast, judged: Company[], moment: Moment): Promise<Faults> {
  const found: Faults = new Map()
  const all = [
    ...cast.companies.map(({ life, faults }) => [life.number, [...faults]] as const),
    ...(await checkAll(cast, judged, moment)),
    [-1, [...new Set([...stage.faults, ...cast.backend.faults])]] as const,
  ]
  for (const [number, faults] of all) {
    if (faults.length > 0) found.set(number, [...(found.get(number) ?? []), ...faults])
  }
  return found
}

async function playRound(stage: Stage, history: PartialHistory, cast: Cast, round: number) {
  const { companies, faultInjector } = cast
  const kills = history.kills.filter((kill) => kill.round === round)
  const ask = async () => {
    const { world, people } = companies[0]!
    return call(world, `/api/v1/paywall/${world.paywall.id}/user?email=${people[0]!.email}`, { key: world.key })
  }
  await Promise.all([
    ...companies.map((company) => playStep(company, company.life.steps[round] ?? null, cast)),
    ...kills.map((kill) => killInRound(stage, kill, faultInjector, ask)),
  ])
}

async function playStep(company: Company, step: Step | null, cast: Cast): Promise<void> {
  if (!step) return
  const person = company.people[step.who]!
  // There are no faults on a live paywall: no days pass there, so no later poll would repair their effects.
  for (const { paywall } of company.worlds) if (paywall.is_test) cast.faultInjector.reseed(paywall.id, step.faultSeed)
  switch (step.act) {
    case 'buy':
      return buy(company, person, step)
    case 'tokens':
      return changeTokens(person, step)
    case 'cancel':
      return cancel(person)
    case 'pay-again':
      return payAgain(company, person)
    case 'read':
      return read(person)
    case 'sign-in':
      return signIn(company, person, step)
    case 'merge':
      return mergeAll(company)
    case 'edit':
      return cast.edit(company)
    case 'wait':
      return advanceTime(company, step.days, cast)
    case 'outage':
      for (const { paywall } of company.worlds) cast.faultInjector.setOutage(paywall.id, !step.ends)
      return
    case 'due':
      return makeAllDue(person.world, person.world.paywall.id)
    case 'preview':
      return changesWithApi(company, step) ? previewPlan(company, person, step) : undefined
    case 'change-plan':
      return changesWithApi(company, step) ? changePlan(company, person, step) : performAct(company, person, step)
    default:
      return performAct(company, person, step)
  }
}

/** Whether a plan is changed with change-plan, which knows only the prices of the paywall file. */
const changesWithApi = <Change extends Extract<Step, { act: 'change-plan' | 'preview' }>>(
  { life, capabilities }: Company,
  step: Change,
): step is Change & { to: Slug } =>
  life.changesPlans === 'with change-plan' && capabilities.changesPlan !== 'never' && step.to !== 'team'

/** Moves the clock by days, then delivers the webhooks that are days late. Checks access after every step, whatever was reported so far. */
async function advanceTime(company: Company, days: number, { faultInjector }: Cast): Promise<void> {
  const judge = async () => {
    for (const fault of await checkAccess(company)) company.faults.add(fault)
  }
  await advanceDays(company, days, judge)
  for (const { paywall } of company.worlds) await faultInjector.deliverLate(paywall.id)
  await judge()
}

/** Whether our state is correct without reconcile: the processor sends a webhook for everything that happened, and none was lost. */
function wasFullyReported({ life, capabilities, worlds }: Company, faultInjector: FaultInjector): boolean {
  const isUnreported = (step: Step) =>
    (!capabilities.sendsCancellationWebhook && cancels(step)) ||
    (!capabilities.sendsDisputeWebhook && step.act === 'decide-dispute') ||
    (!sendsPlanChangeWebhook(life.processor) && step.act === 'change-plan')
  return (
    !life.steps.some((step) => step && isUnreported(step)) &&
    worlds.every(({ paywall }) => faultInjector.getEffects(paywall.id).lostWebhooks.size === 0)
  )
}

/**
 * Whether a life has no changes that only polls find. Some changes that time causes, such as the end of a cancelled subscription, are
 * polled when they are due, and again if that fails. So is a purchase after a stale read.
 */
const isUpToDate = ({ life: { setup, steps } }: Company) =>
  setup.lagSeconds === 0 && !steps.some((step) => step?.act === 'wait')

/** Whether a step may cancel a subscription. Not every processor sends a webhook for that. */
const cancels = (step: Step) =>
  ['cancel', 'portal-cancel', 'end'].includes(step.act) || (step.act === 'buy' && step.replaces)

/** The violations of each company, with the number of its life. */
async function checkAll({ backend, faultInjector }: Cast, companies: Company[], moment: Moment) {
  const { reported, isQuiet } = moment
  const faultsOfLife = async (company: Company): Promise<[number, string[]]> => {
    const ids = company.worlds.map(({ paywall }) => paywall.id)
    const known = {
      refusedCheckouts: ids.reduce((sum, id) => sum + faultInjector.getEffects(id).refusedCheckouts, 0),
      everything: reported.includes(company),
      isQuiet: isQuiet && isOfTests(company),
    }
    const eventsNow = async () => (isOfTests(company) ? ids.flatMap(backend.eventsAbout) : writtenEvents(company.world))
    return [company.life.number, await permanentFaults(async () => checkInvariants(company, await eventsNow(), known))]
  }
  return Promise.all(companies.map(faultsOfLife))
}

/** How long a Worker's work after its response may take, including the reads 2, 5 and 15 s after a stale one. */
const AFTER_RESPONSE_MS = 20_000

/** Repeats a check while work in progress may still repair what it finds. Returns the violations that remain. */
async function permanentFaults(findFaults: () => Promise<string[]>): Promise<string[]> {
  const deadline = Date.now() + AFTER_RESPONSE_MS
  for (;;) {
    const faults = await findFaults()
    if (faults.length === 0 || Date.now() > deadline) return faults
    await delay(200)
  }
}
