// The actions behind home's buttons. Each writes to the journal what it did, or why it could not.
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { CommandError } from '../../../cli/command.ts'
import { isCountry } from '../../../lib/geo/countries.ts'
import { DEFINITIONS } from '../../../lib/processors/definitions.ts'
import { Refused } from '../../emulators/core/acts/refused.ts'
import { EmulatorError } from '../../emulators/core/wire/emulator-error.ts'
import { type CapturedEvent, captureEvents } from '../capture-events.ts'
import { siteTargets } from '../site-targets.ts'
import { describeAct, findActs, isAct, performAct } from './act-names.ts'
import { type HomeContext, type ShownPaywall, shownPaywalls } from './context.ts'
import { countryName, formatMinute, formatMoney, soldIn } from './format.ts'
import { readPurchase } from './purchases.ts'
import { runExclusively } from './run-exclusively.ts'
import { STEPS } from './sections/clock.ts'
import { targetTime } from './steps.ts'
import { WEBHOOKS, type WebhookFault, withWebhooks } from './webhook-faults.ts'

/** Handles a submitted form. Returns where to redirect the browser; null: back to the page with the form. */
type Action = (parts: HomeContext, form: Record<string, string>) => Promise<string | null>

const Order = z.object({ paywall: z.string(), email: z.email('enter an e-mail address to buy as'), price: z.string() })
const Move = z.object({ paywall: z.string(), to: z.enum(Object.keys(STEPS) as (keyof typeof STEPS)[]) })
const Visitor = z.object({ country: z.string().refine(isCountry, 'choose a country') })
const Act = z.object({
  purchase: z.string(),
  act: z.string().refine(isAct),
  webhooks: z.enum(Object.keys(WEBHOOKS) as WebhookFault[]),
})
const CheckoutReply = z.object({ checkoutUrl: z.url() })
const ErrorReply = z.object({ error: z.string() })

/** By the path that the form is sent to. */
const ACTIONS: Record<string, Action> = { '/buy': buy, '/move': move, '/act': act, '/country': changeCountry }

/** The action of a form that is posted to `path`; null if there is none. */
export function findAction(path: string): Action | null {
  const action = ACTIONS[path]
  if (!action) return null
  return async (parts, form) => {
    try {
      return await action(parts, form)
    } catch (error) {
      parts.journal.refuse(toReason(error))
      return null
    }
  }
}

/** Returns expected errors as a sentence for the user and rethrows bugs. */
function toReason(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error)
  if (error instanceof CommandError || error instanceof EmulatorError || error instanceof Refused) return error.message
  throw error
}

function findPaywall(parts: HomeContext, id: string): ShownPaywall {
  const found = shownPaywalls(parts).find(({ paywall }) => paywall.id === id)
  if (!found) throw new CommandError([`there is no paywall ${id}`])
  return found
}

async function buy(parts: HomeContext, form: Record<string, string>): Promise<string> {
  const { paywall: id, email, price: priceId } = Order.parse(form)
  parts.buyer.email = email
  const { paywall, key } = findPaywall(parts, id)
  const price = paywall.prices.find((each) => each.id === priceId)
  if (!price) throw new CommandError(['that price is no longer sold'])
  if (key === null)
    throw new CommandError(['the owner key of this paywall was created elsewhere, and only its hash is stored here'])
  const response = await fetch(`${parts.world.url}/api/v1/paywall/${id}/start-checkout`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    body: JSON.stringify({ email, priceId, country: parts.visitor.country, ...siteTargets(parts.world.url, id) }),
  })
  const body: unknown = await response.json()
  if (!response.ok) throw new CommandError([describeRefusal(response.status, ErrorReply.parse(body).error, email)])
  const { title } = DEFINITIONS[paywall.processor.acquiring]
  const { amount, currency } = soldIn(price, paywall.geo, parts.visitor.country)
  const order = `${price.label}, ${formatMoney(amount, currency)}`
  parts.journal.note(`Opened a page of ${title} where ${email} can pay for ${order}.`)
  return CheckoutReply.parse(body).checkoutUrl
}

const describeRefusal = (status: number, error: string, email: string) =>
  error === 'active_purchase'
    ? `${email} already has an active purchase: enter another address, or end that purchase.`
    : `start-checkout answered ${status} ${error}`

async function move(parts: HomeContext, form: Record<string, string>): Promise<null> {
  const { paywall: id, to } = Move.parse(form)
  const { paywall } = findPaywall(parts, id)
  const { clock, database } = parts.world
  const before = await clock.now(id)
  const target = await targetTime(to, { database, paywallId: id, now: before })
  const events = await captureEvents(parts.world, id, async () => void (await clock.moveTo(id, target)))
  const after = await clock.now(id)
  parts.journal.note(
    `Moved the clock of ${paywall.name} from ${formatMinute(before)} to ${formatMinute(after)}. ${describeEvents(events)}`,
  )
  return null
}

/** Makes visitors of every paywall come from another country. */
async function changeCountry({ visitor, journal }: HomeContext, form: Record<string, string>): Promise<null> {
  visitor.country = Visitor.parse(form).country
  journal.note(`Visitors now come from ${countryName(visitor.country)}.`)
  return null
}

async function act(parts: HomeContext, form: Record<string, string>): Promise<null> {
  const { purchase: id, act: name, webhooks } = Act.parse(form)
  const purchase = await readPurchase(parts.world.database, id)
  const acts = purchase && findActs(parts, purchase)
  if (!acts || !isAct(name)) throw new CommandError([`no paywall file has the account of a purchase ${id}`])
  const emulator = parts.world[purchase.acquiring]
  const perform = () => performAct(acts, name, purchase.processorId)
  const events = await runExclusively(emulator, () =>
    captureEvents(parts.world, purchase.paywallId, () => withWebhooks(emulator, webhooks, perform)),
  )
  parts.journal.note(
    `${purchase.label} of ${purchase.user}: ${describeAct(name)}.${WEBHOOKS[webhooks]} ${describeEvents(events)}`,
  )
  return null
}

const describeEvents = (events: CapturedEvent[]) =>
  events.length > 0
    ? `Events sent to the owner: ${events.map(({ type }) => type).join(', ')}.`
    : 'No events were sent to the owner.'
