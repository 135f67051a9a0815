// What the pages themselves say, in English. An owner's texts stand in the paywall file.
import type { Interval } from '../../../lib/processors/processor.ts'

const every = (interval: Interval, count: number) => (count === 1 ? `per ${interval}` : `every ${count} ${interval}s`)

export const EN = {
  // Every page.
  account: 'Your account',
  restoreLink: 'Restore a purchase',
  ticketLink: 'Contact support',
  footer: 'More pages',
  languages: 'Languages',
  geo: 'IP Geolocation by DB-IP',
  testMode: 'Test mode: no real money moves.',

  // The paywall.
  choose: 'Choose a price',
  billing: 'Billing period',
  continue: 'Continue',
  recommended: 'Recommended',
  once: 'one-time payment',
  every,
  intervals: { day: 'Daily', week: 'Weekly', month: 'Monthly', year: 'Yearly' } satisfies Record<Interval, string>,
  trial: (days: number, then: string) => `${days === 1 ? '1 day' : `${days} days`} free, then ${then}`,
  hasAccess: 'You have access.',
  notBought: 'Nothing was bought, and you were not charged. You can try again whenever you like.',
  leaving: 'On to the payment service',
  leavingText: 'You are being taken there. If nothing happens, follow the link.',
  leavingLink: 'Continue',

  // After paying.
  thanks: 'Thank you!',
  thanksText: 'Your purchase is yours from now on.',
  pending: 'Your payment is on its way',
  pendingText: 'We are waiting for the confirmation. This page shows it as soon as it is there.',
  pendingLong: 'It takes longer than usual. You can close this page: your purchase appears in your account by itself.',
  thanksGuest:
    'If you have just paid, your purchase is being made ready. To see it here, sign in with your e-mail address.',
  backTo: (name: string) => `Back to ${name}`,

  // What went wrong.
  problem: 'That did not work',
  notFound: 'There is no such page',
  notFoundText: 'Check the address, or go back to where you came from.',
  failed: 'Something went wrong on our side. Please try again in a moment.',
  tryLater: (minutes: number) =>
    minutes <= 1
      ? 'That was too often. Please try again in a minute.'
      : `That was too often. Please try again in ${minutes} minutes.`,
  unavailable: 'We cannot reach our records just now. Nothing was lost: please try again in a moment.',
  processorUnavailable:
    'The payment service does not answer just now. You were not charged: please try again in a moment.',
  processorRejected:
    'The payment service did not accept that. You were not charged. If it happens again, please contact support.',
  forged: 'This request did not come from this page. Go back, reload the page and try again.',
  activePurchase: 'You have this already. Your account shows it.',
  priceGone: 'This price has just changed. Please choose again.',
  choosePrice: 'Please choose a price first.',
}

export type Texts = typeof EN
