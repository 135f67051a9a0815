import * as z from 'zod'
import { accountSetting } from '../controls/settings.ts'
import { type AccountContext, find, newestFirst, newRecord } from '../domain/context.ts'
import { otherPrices, priceToChangeTo } from '../domain/plan-changes.ts'
import type { PortalSessionRecord, SoldPrice, SubscriptionRecord } from '../domain/selling-records.ts'
import { addCard, hasEnded } from '../domain/subscriptions.ts'
import { EmulatorError } from '../wire/emulator-error.ts'
import type { Notice } from './layout.ts'
import { portalPage } from './portal-page.ts'
import { type ActionResult, findVisit, type HostedPage } from './visits.ts'

/** The differences between processors' portals. */
export interface PortalOptions {
  money(amount: number, currency: string): string
  /** The lifetime of a portal's URL. */
  lifetimeSeconds: number
  cancel(context: AccountContext, subscription: SubscriptionRecord): void
  /** Undoes a cancellation, if the processor supports it. */
  undo?(context: AccountContext, subscription: SubscriptionRecord): void
  /** Changes the price now. */
  change?(context: AccountContext, subscription: SubscriptionRecord, price: SoldPrice): void
  /** Changes it at the end of the period; null: cancels the change. */
  schedule?(context: AccountContext, subscription: SubscriptionRecord, price: SoldPrice | null): void
}

/** Whether the account's portal is enabled, where owners can disable it in the dashboard. */
export const PORTAL = accountSetting('enabled', z.boolean(), true)

/**
 * Opens a customer's portal.
 *
 * @param param the parameter that names the customer
 * @param switchedOff the processor's error if the portal is disabled
 */
export function openPortal(
  context: AccountContext,
  { customer: id, returnUrl }: Pick<PortalSessionRecord, 'customer' | 'returnUrl'>,
  { param, switchedOff }: { param?: string; switchedOff?: () => Error } = {},
): PortalSessionRecord {
  const { id: customer } = find(context, 'customers', id, param)
  if (switchedOff && !PORTAL.read(context)) throw switchedOff()
  const session = { ...newRecord(context, 'portalSessions'), customer, returnUrl }
  context.records.portalSessions.set(session.id, session)
  return session
}

/** A customer's portal; null once its URL has expired. */
function hostedPortal(
  context: AccountContext,
  session: PortalSessionRecord,
  path: string,
  options: PortalOptions,
): HostedPage | null {
  if (session.created + options.lifetimeSeconds <= context.now) return null
  const { customer } = session
  const subscriptions = newestFirst(context, 'subscriptions', { customer })
  const invoices = newestFirst(context, 'invoices', { customer })
  const action =
    (cancels: boolean, apply: PortalOptions['cancel']) =>
    (form: Record<string, string>): ActionResult => {
      const subscription = chosen(subscriptions, form.subscription)
      if (!subscription) return { status: 400, problem: 'Choose a subscription.' }
      if (hasEnded(subscription)) return { status: 409, problem: 'This subscription has ended.' }
      if (cancels === (subscription.cancelAt !== null)) {
        const state = cancels ? 'already cancelled' : 'not cancelled'
        return { status: 409, problem: `This subscription is ${state}.` }
      }
      apply(context, subscription)
      return { to: path }
    }
  const changing =
    (apply: NonNullable<PortalOptions['change']>) =>
    (form: Record<string, string>): ActionResult => {
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
  const add = (form: Record<string, string>): ActionResult => {
    const subscription = chosen(subscriptions, form.subscription)
    if (!subscription || hasEnded(subscription)) return { status: 400, problem: 'Choose a running subscription.' }
    addCard(context, subscription)
    return { to: path }
  }
  const offers = (subscription: SubscriptionRecord) => (options.change ? otherPrices(context, subscription) : [])
  return {
    show: (problem) => portalPage(session, { subscriptions, invoices, offers }, options, problem),
    actions: {
      cancel: action(true, options.cancel),
      addCard: add,
      ...(options.undo && { undo: action(false, options.undo) }),
      ...(options.change && { change: changing(options.change) }),
      ...(options.schedule && { schedule: changing(options.schedule) }),
    },
  }
}

/** The subscription with that id; without an id, the only one that has not ended. */
function chosen(subscriptions: SubscriptionRecord[], id: string | undefined): SubscriptionRecord | undefined {
  if (id !== undefined) return subscriptions.find((subscription) => subscription.id === id)
  const running = subscriptions.filter((subscription) => !hasEnded(subscription))
  return running.length === 1 ? running[0] : undefined
}

/** The portals of all customers, by session id. */
export const portalVisit = (options: PortalOptions) =>
  findVisit('portalSessions', UNKNOWN_PORTAL, (context, session, { path }) =>
    hostedPortal(context, session, path, options),
  )

/** Shown for unknown portals. */
const UNKNOWN_PORTAL: Notice = {
  title: 'Nothing to see here',
  text: 'This link has expired or does not exist. Open the portal again to get a new one.',
}
