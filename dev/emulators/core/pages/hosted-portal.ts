import * as z from 'zod'
import { accountSetting } from '../controls/settings.ts'
import { type AccountContext, find, newestFirst, newRecord } from '../domain/context.ts'
import { otherPrices, priceToChangeTo } from '../domain/plan-changes.ts'
import type { PortalSessionRecord, SoldPrice, SubscriptionRecord } from '../domain/selling-records.ts'
import { hasEnded } from '../domain/subscriptions.ts'
import { EmulatorError } from '../wire/emulator-error.ts'
import type { Notice } from './layout.ts'
import { portalPage } from './portal-page.ts'
import { findVisit, type HostedPage, type Pressed } from './visits.ts'

/** What differs between the processors' portals. */
export interface PortalWords {
  money(amount: number, currency: string): string
  /** How long a portal's address works. */
  lifetimeSeconds: number
  cancel(context: AccountContext, subscription: SubscriptionRecord): void
  /** Takes a cancellation back; not there if the processor cannot. */
  undo?(context: AccountContext, subscription: SubscriptionRecord): void
  /** Changes the price now. */
  change?(context: AccountContext, subscription: SubscriptionRecord, price: SoldPrice): void
  /** Changes it with the end of the period; null: calls that off. */
  schedule?(context: AccountContext, subscription: SubscriptionRecord, price: SoldPrice | null): void
}

/** Whether an account has its portal switched on, where an owner can leave it off in the dashboard. */
export const PORTAL = accountSetting('enabled', z.boolean(), true)

/**
 * Opens the portal of a customer.
 *
 * @param param the parameter that names the customer
 * @param switchedOff the processor's error where the portal is not switched on
 */
export function openPortal(
  context: AccountContext,
  { customer: id, returnUrl }: Pick<PortalSessionRecord, 'customer' | 'returnUrl'>,
  { param, switchedOff }: { param?: string; switchedOff?: () => Error } = {},
): PortalSessionRecord {
  const { id: customer } = find(context, 'customers', id, param)
  if (switchedOff && !PORTAL.of(context)) throw switchedOff()
  const session = { ...newRecord(context, 'portalSessions'), customer, returnUrl }
  context.records.portalSessions.set(session.id, session)
  return session
}

/** The portal of one customer; null once its address has expired. */
function hostedPortal(
  context: AccountContext,
  session: PortalSessionRecord,
  path: string,
  words: PortalWords,
): HostedPage | null {
  if (session.created + words.lifetimeSeconds <= context.now) return null
  const { customer } = session
  const subscriptions = newestFirst(context, 'subscriptions', { customer })
  const invoices = newestFirst(context, 'invoices', { customer })
  const press =
    (cancels: boolean, apply: PortalWords['cancel']) =>
    (form: Record<string, string>): Pressed => {
      const subscription = chosen(subscriptions, form.subscription)
      if (!subscription) return { status: 400, problem: 'Choose a subscription.' }
      if (hasEnded(subscription)) return { status: 409, problem: 'This subscription has ended.' }
      if (cancels === (subscription.cancelAt !== null)) {
        const state = cancels ? 'cancelled already' : 'not cancelled'
        return { status: 409, problem: `This subscription is ${state}.` }
      }
      apply(context, subscription)
      return { to: path }
    }
  const changing =
    (apply: NonNullable<PortalWords['change']>) =>
    (form: Record<string, string>): Pressed => {
      const subscription = chosen(subscriptions, form.subscription)
      if (!subscription) return { status: 400, problem: 'Choose a subscription.' }
      try {
        apply(context, subscription, priceToChangeTo(context, subscription, form.price))
      } catch (error) {
        if (error instanceof EmulatorError) return { status: 409, problem: error.message }
        throw error
      }
      return { to: path }
    }
  const offers = (subscription: SubscriptionRecord) => (words.change ? otherPrices(context, subscription) : [])
  return {
    show: (problem) => portalPage(session, { subscriptions, invoices, offers }, words, problem),
    press: {
      cancel: press(true, words.cancel),
      ...(words.undo && { undo: press(false, words.undo) }),
      ...(words.change && { change: changing(words.change) }),
      ...(words.schedule && { schedule: changing(words.schedule) }),
    },
  }
}

/** The one with that id; without an id, the only one that has not ended. */
function chosen(subscriptions: SubscriptionRecord[], id: string | undefined): SubscriptionRecord | undefined {
  if (id !== undefined) return subscriptions.find((subscription) => subscription.id === id)
  const running = subscriptions.filter((subscription) => !hasEnded(subscription))
  return running.length === 1 ? running[0] : undefined
}

/** The portals of all customers, each at the id of its session. */
export const portalVisit = (words: PortalWords) =>
  findVisit('portalSessions', UNKNOWN_PORTAL, (context, session, { path }) =>
    hostedPortal(context, session, path, words),
  )

/** What is shown where no portal is. */
const UNKNOWN_PORTAL: Notice = {
  title: 'Nothing to see here',
  text: 'This link has expired, or never existed. Ask for a new one where you got it.',
}
