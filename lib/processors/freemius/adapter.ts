import type { Adapter, AdapterOptions } from '../adapter.ts'
import {
  type CheckoutOrder,
  type PageSale,
  type PlanChange,
  type PlanChangeResult,
  ProcessorError,
  type PurchaseSnapshot,
  UnexpectedReply,
} from '../processor.ts'
import { RestError } from '../rest.ts'
import { freemiusApi, parse, rejected, segment } from './api.ts'
import { couponProblem, findCoupon } from './coupon.ts'
import { discountSubscription } from './discount-subscription.ts'
import { readFreemiusEvent, readReturn } from './events.ts'
import { billingCycle, checkoutLink, parsePrice, upgradeLink } from './link.ts'
import { byAge, toFacts } from './money.ts'
import {
  License,
  Licenses,
  minorUnits,
  type Payment,
  Payments,
  Plan,
  PortalLogin,
  Pricing,
  Subscription,
  Subscriptions,
  UpgradeLink,
  User,
  Users,
} from './objects.ts'
import { estimatePlanChange, hasPlan } from './plan-change.ts'
import { licenseSubscriptions, type Observed, soldAs, toCancellation, toSnapshot } from './translate.ts'

const CHECKOUT = 'https://checkout.freemius.com'

/** Tolerance for Freemius' clock in milliseconds; it also rounds to whole seconds. */
const CLOCK_SKEW_MS = 5_000

/** `Other` in the reasons of Freemius' own survey: UNVERIFIED. */
const OTHER_REASON = '15'

interface Credentials {
  productId: string
  publicKey: string
  secretKey: string
  apiKey: string
}

/**
 * Freemius' API v1. A checkout is a link, and creates nothing at Freemius before it is paid; a purchase is a licence, found by the buyer's
 * address, the price and the time, since Freemius stores nothing of ours. The base URL of `options` replaces both the API and the checkout.
 */
export function freemiusAdapter(credentials: Credentials, options: AdapterOptions): Adapter<Observed, never> {
  const api = freemiusApi(credentials, options)
  const { request, ask, find, list } = api

  /** Otherwise the link would lead to an error page, or charge a trial at once, if the product does not match the paywall file. */
  async function checkOffer(order: Offer): Promise<void> {
    const { plan, pricing } = parsePrice(order.processorPrice)
    const planPath = `plans/${segment(plan)}`
    const [offer, terms] = await Promise.all([
      find(`${planPath}/pricing/${segment(pricing)}.json`, Pricing),
      order.trialDays > 0 ? find(`${planPath}.json`, Plan) : null,
      order.discount === undefined ? null : checkCoupon(order.discount, order),
    ])
    if (!offer) throw rejected('the product has no such plan and pricing')
    const price = { monthly: offer.monthly_price, annual: offer.annual_price, lifetime: offer.lifetime_price }
    if (offer.currency !== order.currency) throw rejected(`the pricing is in ${offer.currency}`)
    if (!price[billingCycle(order)]) throw rejected(`the pricing has no ${billingCycle(order)} price`)
    if (order.trialDays > 0 && terms?.trial_period !== order.trialDays) {
      throw rejected(terms?.trial_period ? `the plan's trial has ${terms.trial_period} days` : 'the plan has no trial')
    }
  }

  /** With a coupon that does not apply, the page would charge the whole price. */
  async function checkCoupon(code: string, order: Offer): Promise<void> {
    const coupon = await findCoupon(list, code)
    const problem = coupon ? couponProblem(coupon, order, options.now()) : 'does not exist'
    if (problem !== null) throw rejected(`the coupon ${problem}`)
  }

  const listLicenses = (userId: string) =>
    list(`users/${segment(userId)}/licenses.json`, (reply) => parse(Licenses, reply).licenses)

  const listSubscriptions = (userId: string) =>
    list(`users/${segment(userId)}/subscriptions.json`, (reply) => parse(Subscriptions, reply).subscriptions)

  /** The licences that the buyer got for this price since the page was opened, oldest first, except those sold by another page. */
  async function findSoldLicenses({ email, processorPrice, interval, openedAt, sold }: PageSale): Promise<License[]> {
    if (email === null) return []
    const { users } = parse(Users, await ask('GET', `users.json?email=${encodeURIComponent(email)}`))
    const user = users.find((each) => each.email.toLowerCase() === email.toLowerCase())
    if (!user) return []
    const [licenses, subscriptions] = await Promise.all([listLicenses(user.id), listSubscriptions(user.id)])
    const since = openedAt.getTime() - CLOCK_SKEW_MS
    return byAge(licenses).filter((license) => {
      if (license.created.getTime() < since || sold.includes(license.id)) return false
      const soldFor = soldAs(license, licenseSubscriptions(license, subscriptions)[0] ?? null)
      return soldFor.processorPrice === processorPrice && soldFor.interval === interval
    })
  }

  const isOfMode = ({ environment }: Pick<License, 'environment'>) => environment === (options.isTest ? 1 : 0)

  async function observeLicense(license: License | null): Promise<Observed | null> {
    if (!license || !isOfMode(license) || !license.user_id) return null
    const user = `users/${segment(license.user_id)}`
    const [subscription, payments, buyer] = await Promise.all([
      find(`licenses/${segment(license.id)}/subscription.json`, Subscription),
      list(`${user}/payments.json`, (reply) => parse(Payments, reply).payments),
      find(`${user}.json?fields=id,email`, User),
    ])
    const paid = payments.filter(({ license_id }) => license_id === license.id)
    // Without its subscription it would look like a lifetime licence.
    const isIncomplete = subscription === null && paid.some(({ subscription_id }) => subscription_id != null)
    if (isIncomplete) throw rejected('the subscription of a payment is missing')
    let subscriptions = subscription ? [subscription] : []
    if (isLater(subscription, license, paid)) {
      subscriptions = licenseSubscriptions(license, await listSubscriptions(license.user_id))
    }
    const lifetimePrice = subscription ? null : await findReducedPrice(license, paid)
    return { license, subscription, subscriptions, payments: paid, lifetimePrice, email: buyer?.email ?? null }
  }

  /** The price of a lifetime licence that was sold with a coupon: a payment shows only what is left. */
  async function findReducedPrice({ plan_id: plan, pricing_id: pricing }: License, payments: Payment[]) {
    if (!pricing || payments.every(({ coupon_id }) => coupon_id == null)) return null
    const sold = await find(`plans/${segment(plan)}/pricing/${segment(pricing)}.json`, Pricing)
    return sold?.lifetime_price == null ? null : minorUnits(sold.lifetime_price, sold.currency)
  }

  /** A page can be paid again: a licence that ended before its first payment is no sale, and a later one on the page counts. */
  async function observeSale(sale: PageSale): Promise<Observed | null> {
    let neverBought: Observed | null = null
    for (const license of await findSoldLicenses(sale)) {
      const observed = await observeLicense(license)
      const purchase = observed && toSnapshot(observed, options.now())
      if (!purchase) continue
      if (purchase.begun || purchase.status !== 'canceled') return observed
      neverBought ??= observed
    }
    return neverBought
  }

  /**
   * Freemius no longer charges a cancelled subscription, nor retries a failed renewal. Its licence continues to the end of the paid period,
   * a trial ends at once. A licence without a subscription is never charged; if the product does not have the licence, that is unknown: the
   * owner may have switched products.
   */
  async function cancelSubscription(licenseId: string): Promise<void> {
    const path = `licenses/${segment(licenseId)}/subscription.json`
    const refused = await toFailure(ask('DELETE', `${path}?${new URLSearchParams({ reason_ids: OTHER_REASON })}`))
    const subscription = await find(path, Subscription)
    if (subscription && !subscription.canceled_at) throw refused ?? unconfirmed('the subscription is not cancelled')
    if (!subscription && !(await find(`licenses/${segment(licenseId)}.json`, License)))
      throw rejected('no such license')
  }

  const place = () => ({ origin: options.base ?? CHECKOUT, sandbox: options.isTest ? options.now() : null })

  /** The licence whose plan is to be changed. Refuses a price that the product does not sell. */
  async function findChangeable({ subscriptionId: id, to }: PlanChange): Promise<Changeable> {
    const [observed] = await Promise.all([
      observeLicense(await find(`licenses/${segment(id)}.json`, License)),
      checkOffer({ ...to, recurring: to, trialDays: 0 }),
    ])
    const purchase = observed && toSnapshot(observed, options.now())
    if (!purchase) throw rejected('no such license')
    return { observed, purchase }
  }

  /** See `ProcessorMethods.changePlan`. A cancelled subscription is not changed: whether Freemius' page would do that is UNVERIFIED. */
  async function changePlan(change: PlanChange): Promise<PlanChangeResult> {
    const { observed, purchase } = await findChangeable(change)
    if (hasPlan(purchase, change)) return { outcome: 'changed' }
    if (observed.subscription?.canceled_at) return { outcome: 'cancelled' }
    const { id } = observed.license
    const { to, options: pageOptions } = change
    const { settings } = parse(
      UpgradeLink,
      await ask('POST', `licenses/${segment(id)}/checkout/link.json`, {
        plan_id: parsePrice(to.processorPrice).plan,
        billing_cycle: billingCycle({ recurring: to }),
        currency: to.currency.toLowerCase(),
      }),
    )
    const { email } = observed
    const order = { to, options: pageOptions, email }
    return { outcome: 'payment_required', url: upgradeLink(order, { id, ...settings }, credentials, place()) }
  }

  /**
   * A user's portal shows and cancels live and sandbox purchases alike, so a test paywall does not open that of a user who has both. A
   * subscription stays in it when its licence is deleted. A live paywall opens it anyway: otherwise a test purchase would lock a real buyer
   * out of the portal.
   *
   * @throws ProcessorError rejected
   */
  async function refuseLiveBuyer(userId: string): Promise<void> {
    const bought = await Promise.all([listLicenses(userId), listSubscriptions(userId)])
    if (!bought.flat().every(isOfMode)) throw rejected('the user has live purchases, too')
  }

  return {
    async openCheckout(order) {
      const { email } = order
      if (email === null) throw rejected('Freemius requires an e-mail address')
      await checkOffer(order)
      return { pageId: order.checkoutId, url: checkoutLink({ ...order, email }, credentials, place()), expiresAt: null }
    },

    async cancelAtPeriodEnd(licenseId, reason) {
      const path = `licenses/${segment(licenseId)}`
      const query = new URLSearchParams({ reason, reason_ids: OTHER_REASON })
      const subscription = parse(Subscription, await ask('DELETE', `${path}/subscription.json?${query}`))
      // Read afterwards: an unpaid licence ends with its subscription. If it cannot be read, the cancellation is valid.
      const license = await find(`${path}.json`, License).catch(unlessProcessorError)
      return license && toCancellation(license, subscription, options.now())
    },

    stopCharging: cancelSubscription,

    async endNow(licenseId) {
      await cancelSubscription(licenseId)
      const path = `licenses/${segment(licenseId)}.json`
      const refused = await toFailure(ask('DELETE', path))
      const license = await find(path, License)
      if (license && !license.is_cancelled) throw refused ?? unconfirmed('the license is not cancelled')
    },

    async previewPlanChange(change) {
      const { observed, purchase } = await findChangeable(change)
      return estimatePlanChange(observed, purchase, change)
    },

    changePlan,

    discountSubscription: (discounted) => discountSubscription(api, discounted),

    // The portal has no return URL.
    async openPortal(customer) {
      if (options.isTest) await refuseLiveBuyer(customer)
      return parse(PortalLogin, await ask('POST', 'portal/login.json', { id: customer })).link
    },

    // Freemius checks that the payment is the user's.
    async openReceipt({ id, customer }) {
      if (customer === null) return null
      try {
        const { bytes } = await request('GET', `users/${segment(customer)}/payments/${segment(id)}/invoice.pdf`)
        if (!isPdf(bytes)) throw new UnexpectedReply('freemius', 'not a PDF')
        return { kind: 'pdf', content: bytes }
      } catch (error) {
        if (error instanceof RestError && error.isMissing) return null
        throw error
      }
    },

    async observe(reference) {
      if (reference.kind === 'page') return reference.sale ? observeSale(reference.sale) : null
      return observeLicense(await find(`licenses/${segment(reference.id)}.json`, License))
    },

    decide(observed, now) {
      const purchase = toSnapshot(observed, now)
      const found = purchase && { paywallId: null, purchase }
      return { found, isUndecided: purchase?.status === 'pending', todo: null, payments: toFacts(observed) }
    },

    async act() {},

    readReturn: (address) => readReturn(new URL(address), credentials),

    readEvent: (request) => readFreemiusEvent({ secretKey: credentials.secretKey, isTest: options.isTest }, request),
  }
}

/** A licence whose plan is to be changed. */
interface Changeable {
  observed: Observed
  purchase: PurchaseSnapshot
}

/** What a link sells. */
type Offer = Pick<CheckoutOrder, 'processorPrice' | 'currency' | 'recurring' | 'trialDays' | 'discount'>

/** Whether a licence was sold with another subscription than the current one. */
const isLater = (subscription: Subscription | null, { created }: License, payments: Payment[]) =>
  subscription !== null &&
  (subscription.created > created ||
    payments.some(({ subscription_id }) => subscription_id != null && subscription_id !== subscription.id))

const isPdf = (bytes: Uint8Array) => new TextDecoder().decode(bytes.subarray(0, 5)) === '%PDF-'

/** Returns the refusal of a call; null if it was accepted. Other errors are thrown. */
async function toFailure(call: Promise<unknown>): Promise<RestError | null> {
  try {
    await call
    return null
  } catch (error) {
    if (error instanceof RestError && error.kind === 'rejected') return error
    throw error
  }
}

function unlessProcessorError(error: unknown): null {
  if (error instanceof ProcessorError) return null
  throw error
}

/** Freemius accepted a call, but a read does not show its effect. */
const unconfirmed = (message: string) => new ProcessorError('freemius', 'unavailable', message, { answered: true })
