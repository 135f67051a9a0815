import { createHmac } from 'node:crypto'
import * as z from 'zod'
import type { FreemiusEmulator } from '../../../dev/emulators/freemius/emulator.ts'
import type { Driver, Truth } from './driver.ts'

const License = z.object({ id: z.string(), expiration: z.string().nullable(), is_cancelled: z.boolean() })

const Subscription = z.object({
  id: z.string(),
  license_id: z.string(),
  outstanding_balance: z.number(),
  trial_ends: z.string().nullable(),
  canceled_at: z.string().nullable(),
})

const OfLicense = z.object({ payment: z.object({ id: z.string(), type: z.string() }), license: License })

/** Longer than a month, in days. */
const PERIOD = 33

export const FREEMIUS: Driver<'freemius'> = {
  // A pricing has a price for each cycle, so what is paid once has the name of what is paid by the month.
  prices: { monthly: '501:601', yearly: '502:603', lifetime: '501:601', local: '501:602' },
  sign: ({ body }, { secretKey }) => ({
    'x-signature': createHmac('sha256', secretKey).update(body).digest('hex'),
  }),
  ofAnotherScheme: ({ 'x-signature': signature = '' }) => ({ 'x-signature': `sha256=${signature}` }),
  there(freemius) {
    // The owner has switched off *Restrict Single Subscription Per User*.
    freemius.manySubscriptions = true
    const subscription = (id: string) => subscriptionOf(freemius, id).id
    return {
      renew: (id) => freemius.renew(subscription(id)),
      failCharge: (id) => freemius.renew(subscription(id), { fail: true }),
      recover: (id) => freemius.renew(subscription(id)),
      refund: (id, cents) => freemius.refund(latestPayment(freemius, id), cents),
      dispute: (id) => freemius.dispute(latestPayment(freemius, id)),
      cancel: (id) => freemius.portalCancel(subscription(id)),
      end: (id) => freemius.cancelLicense(id),
      async endPeriod(id) {
        await freemius.elapse(subscription(id), PERIOD)
        await freemius.rollOver(subscription(id))
        return PERIOD
      },
      async nearTrialEnd(id) {
        await freemius.trialWillEnd(subscription(id))
        return 0
      },
      truth: async (id, now) => truthOf(freemius, id, now),
    }
  },
}

/** The latest of a licence. */
function subscriptionOf({ subscriptions }: FreemiusEmulator, license: string) {
  const found = subscriptions.map((each) => Subscription.parse(each)).findLast((each) => each.license_id === license)
  if (!found) throw new Error(`Freemius has no subscription of the licence ${license}`)
  return found
}

function latestPayment({ events }: FreemiusEmulator, license: string): string {
  const paid = events
    .filter(({ type }) => type === 'payment.created')
    .map(({ objects }) => OfLicense.parse(objects))
    .findLast((each) => each.license.id === license)
  if (!paid) throw new Error(`nothing was paid for the licence ${license}`)
  return paid.payment.id
}

/** The licence is what gives access; a subscription that is cancelled stays so. */
function truthOf(freemius: FreemiusEmulator, id: string, now: Date): Truth {
  const license = License.parse(freemius.licenses.find((each) => each.id === id))
  const { canceled_at: canceledAt, trial_ends: trialEnds, outstanding_balance: owed } = subscriptionOf(freemius, id)
  const renews = canceledAt === null
  if (license.is_cancelled || (!renews && !isToCome(license.expiration, now))) return { status: 'canceled', renews }
  if (renews && isToCome(trialEnds, now)) return { status: 'trialing', renews }
  return { status: renews && owed > 0 ? 'past_due' : 'active', renews }
}

const isToCome = (time: string | null, now: Date) =>
  time !== null && Date.parse(`${time.replace(' ', 'T')}Z`) > now.getTime()
