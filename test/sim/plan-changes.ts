// People change their plan with change-plan, with or without having been shown what that costs.
import { randomUUID } from 'node:crypto'
import { Changed, Preview } from '../../functions/change-plan/contract.ts'
import { paysEveryChangeOnPage } from '../conformance/drivers/plans.ts'
import { call, type Reply } from '../support/call.ts'
import { getPriceId } from '../support/checkout.ts'
import { inUnits, press } from './acts.ts'
import type { Company, Person, Quote } from './person.ts'
import { currentTime } from './processor-acts.ts'
import { retryUntilDefinite } from './retry.ts'
import type { Slug, Step } from './step.ts'

type Doing<Act extends Step['act']> = Extract<Step, { act: Act }> & { to: Slug }

/** Asks what a change of plan would cost. The person keeps the response, to make the change later. */
export async function previewPlan(
  company: Company,
  person: Person,
  step: Doing<'preview' | 'change-plan'>,
): Promise<void> {
  if (!person.userId || person.bought.size === 0) return
  const paid = sumOf(listPaid(company))
  const change = toChange(person, step)
  const reply = await retryUntilDefinite(() => callChangePlan(person, { ...change, preview: true }))
  const shown = Preview.safeParse(reply?.body).data
  person.quote = shown ? { change, shown, paid } : null
}

/**
 * Changes the plan of a person's subscription, which undoes a scheduled end. The person pays where every change is paid on a page. A page on
 * which a charge that was declined could be paid is left open.
 */
export async function changePlan(company: Company, person: Person, step: Doing<'change-plan'>): Promise<void> {
  const { userId, bought } = person
  if (!userId || bought.size === 0) return
  for (const { cancelled } of company.people) cancelled.clear()
  if (step.quoted && !person.quote) await previewPlan(company, person, step)
  const quote = step.quoted ? person.quote : null
  const [at, before, paid] = [await currentTime(company), company.account.sales(), listPaid(company)]
  const reply = await request(
    company,
    person,
    quote ? { ...quote.change, quote: quote.shown.quote } : toChange(person, step),
  )
  company.lastActAt = await currentTime(company)
  for (const id of bought) company.undone.set(id, company.lastActAt.getTime() / 1000)
  if (!quote) return
  person.quote = null
  const charged = listPaid(company).filter(({ id }) => !paid.some((earlier) => earlier.id === id))
  const amounts = charged.map(({ amount }) => amount)
  company.quotedChanges.push({
    shown: quote.shown,
    at,
    paidSince: sumOf(paid) - quote.paid,
    reply,
    before,
    after: company.account.sales(),
    charged: amounts,
  })
}

async function request(company: Company, person: Person, change: object): Promise<Reply | null> {
  const headers = { 'idempotency-key': randomUUID() }
  const reply = await retryUntilDefinite(() => callChangePlan(person, change, headers))
  const { checkoutUrl } = Changed.safeParse(reply?.body).data ?? {}
  if (checkoutUrl && paysEveryChangeOnPage(company.life.processor)) await press(checkoutUrl, 'pay', person)
  return reply
}

const toChange = ({ world }: Person, { to, at, quantity }: Doing<'preview' | 'change-plan'>): Quote['change'] => ({
  priceId: getPriceId(world.paywall, to),
  ...inUnits(world.paywall, to, quantity),
  when: at === 'once' ? 'now' : 'period_end',
})

function callChangePlan({ world, kind, session, userId }: Person, change: object, headers = {}): Promise<Reply> {
  const caller =
    kind === 'user' && session
      ? { token: session.token, body: change }
      : { key: world.key, body: { ...change, userId } }
  return call(world, `/api/v1/paywall/${world.paywall.id}/change-plan`, { ...caller, headers })
}

const sumOf = (payments: { amount: number }[]) => payments.reduce((sum, { amount }) => sum + amount, 0)

const listPaid = ({ records }: Company) =>
  records('payments').filter(({ status, amount }) => status === 'paid' && amount > 0)
