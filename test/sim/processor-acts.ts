// Steps that happen at the processor: caused by time, by a bank, or in the processor's own portal. A step that the processor does not
// support, or that is not possible at that moment, has no effect.

import { Refused } from '../../dev/emulators/core/acts/refused.ts'
import { EmulatorError } from '../../dev/emulators/core/wire/emulator-error.ts'
import { getDriver } from '../conformance/drivers/drivers.ts'
import { changePlan, teamPlan } from '../conformance/drivers/plans.ts'
import { retryUntilDone } from './passing-time.ts'
import type { Company, Person } from './person.ts'
import type { Step } from './step.ts'

type Act =
  | 'resolve'
  | 'refund'
  | 'fail-refund'
  | 'dispute'
  | 'decide-dispute'
  | 'renew'
  | 'card'
  | 'roll-over'
  | 'change-plan'
  | 'portal-cancel'
  | 'end'
  | 'pause'
  | 'resume'
  | 'undo'
export type ProcessorAct = Extract<Step, { act: Act }>

export async function performAct(company: Company, person: Person, step: ProcessorAct): Promise<void> {
  try {
    await applyToLatestSale(company, person, step)
    company.lastActAt = await currentTime(company)
  } catch (error) {
    if (!(error instanceof EmulatorError || error instanceof Refused)) throw error
  }
}

export const currentTime = ({ world: { clock, paywall } }: Company) =>
  retryUntilDone('a clock is read', () => clock.now(paywall.id))

/** Applies a step to the latest subscription or paid sale of the person; if the person has bought nothing, to the latest of the life. */
function applyToLatestSale(company: Company, { bought }: Person, step: ProcessorAct): Promise<unknown> | undefined {
  const { account } = company
  const all = account.sales()
  const own = all.filter(({ processorId }) => bought.has(processorId))
  const sales = own.length > 0 ? own : all
  const id = sales.findLast(({ isSubscription }) => isSubscription)?.processorId ?? ''
  const paid = sales.findLast((sale) => sale.paid.length > 0)?.processorId ?? ''
  switch (step.act) {
    case 'resolve':
      return account.resolve(step.fails)
    case 'refund':
      return account.refund(paid, step.part === 'some' ? 100 : undefined)
    case 'fail-refund':
      return account.failRefund?.(paid)
    case 'dispute':
      return account.dispute(paid)
    case 'decide-dispute':
      return account.decideDispute?.(paid, step.wins)
    case 'card':
      return setCardDeclines(company, step.declines)
    case 'change-plan':
      return changeToPrice(company, id, step)
    case 'renew':
      return renew(company, id, step.fails)
    case 'roll-over':
      return account.rollOver?.(id)
    case 'portal-cancel':
      company.stoppedAtProcessor.add(id)
      return account.cancel(id)
    case 'end':
      company.stoppedAtProcessor.add(id)
      return (account.end ?? account.suspend)?.(id)
    case 'pause':
      return account.pause?.(id)
    case 'resume':
      return account.resume?.(id)
    case 'undo':
      return undo(company, id)
  }
}

/** Undoes the scheduled end of a subscription, even if its replacement caused it: then the buyer wants to be charged for both. */
async function undo(company: Company, id: string): Promise<void> {
  if (!company.account.undo) return
  await company.account.undo(id)
  company.undone.set(id, (await currentTime(company)).getTime() / 1000)
  for (const { cancelled } of company.people) cancelled.clear()
}

/**
 * Charges for the next period. In reality a period passes between two charges, in which the service learns of the first one. So the charge
 * is made only once the service has stored the end of the current period, or if no webhooks arrive at all. Otherwise a period could be over
 * before the service read it, and would credit no tokens.
 */
async function renew({ world, life, account }: Company, id: string, fails: boolean): Promise<unknown> {
  const ends = account.sales().find(({ processorId }) => processorId === id)?.periodEnd
  if (ends && life.webhooks !== 'none' && !(await isPaidUntil(world, id, ends))) return
  return fails ? account.failCharge(id) : account.renew(id)
}

async function isPaidUntil({ database }: Company['world'], processorId: string, day: string): Promise<boolean> {
  const asked = database.query<{ current_period_end: Date | null }>(
    'select current_period_end from purchases where processor_id = $1',
    [processorId],
  )
  const { rows } = await asked.catch(() => ({ rows: [] }))
  return rows.some(({ current_period_end: end }) => end?.toISOString().startsWith(day) === true)
}

/** From now on the charges of all customers of the account are declined, or succeed again. */
async function setCardDeclines({ world, life: { processor }, records }: Company, declines: boolean): Promise<void> {
  for (const { id } of records('customers')) await world[processor].declineCharges(id, declines)
}

/** Changes the plan of a subscription to a price in its currency, now or at the end of the period. */
async function changeToPrice(
  { world, life: { processor: acquiring }, account }: Company,
  id: string,
  { to, at }: Extract<ProcessorAct, { act: 'change-plan' }>,
): Promise<void> {
  const { paywall } = world
  const team = teamPlan(acquiring)
  const price = to === 'team' ? team.price : getDriver(acquiring).prices[to]
  if (at !== 'once') return void (await account.schedulePlan?.(id, price))
  const listed = paywall.prices.find(({ slug }) => slug === to)
  const offered = listed ? [listed, ...listed.locals] : [{ amount: team.amount, currency: 'USD' }]
  const current = account.sales().find(({ processorId }) => processorId === id)?.plan?.price
  const charged = offered.find(({ currency }) => currency === current?.currency.toUpperCase())
  if (!charged) return
  const { amount, currency } = charged
  const interval = to === 'yearly' ? 'year' : 'month'
  await changePlan({ world, acquiring, paywall, account }, id, { price, amount, currency, interval })
}
