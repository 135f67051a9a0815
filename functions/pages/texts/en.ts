// The pages' own texts in English. An owner's texts are in the paywall file.
import {
  MAX_QUANTITY,
  TICKET_CONTENT_LENGTH,
  TICKET_FILE_MEGABYTES,
  TICKET_FILES_LIMIT,
  TICKET_SUBJECT_LENGTH,
} from '../../../lib/http/input-limits.ts'
import type { Interval, PurchaseStatus } from '../../../lib/processors/processor.ts'

const every = (interval: Interval, count: number) => (count === 1 ? `per ${interval}` : `every ${count} ${interval}s`)

const periods = (interval: Interval, count: number) => (count === 1 ? interval : `${count} ${interval}s`)

const duration = (interval: Interval, count: number) => (count === 1 ? `one ${interval}` : periods(interval, count))

const dayCount = (days: number) => (days === 1 ? '1 day' : `${days} days`)

function waitText(minutes: number): string {
  if (minutes <= 1) return 'a minute'
  return minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`
}

export const EN = {
  // Every page.
  account: 'Your account',
  restoreLink: 'Restore a purchase',
  ticketLink: 'Contact support',
  footer: 'More pages',
  languages: 'Languages',
  terms: 'Terms of service',
  privacy: 'Privacy policy',
  imprint: 'Legal notice',
  help: 'Help',
  geo: 'IP Geolocation by DB-IP',

  // The paywall.
  choose: 'Choose an option',
  billing: 'Billing period',
  continue: 'Continue',
  recommended: 'Recommended',
  once: 'one-time payment',
  perUnit: 'per unit',
  units: 'Number of units',
  unitCount: (units: number) => (units === 1 ? '1 unit' : `${units} units`),
  showTotal: 'Show the total',
  totalShown: 'The price now shows the number that you entered. Please check the total before you buy.',
  wrongUnits: `Please enter a whole number from 1 to ${MAX_QUANTITY.toLocaleString('en')}.`,
  every,
  intervals: { day: 'Daily', week: 'Weekly', month: 'Monthly', year: 'Yearly' } satisfies Record<Interval, string>,
  daysFree: (days: number) => `${dayCount(days)} free`,
  trial: (days: number, then: string) => `${dayCount(days)} free, then ${then}`,
  thatIs: (monthly: string) => `That is ${monthly}`,
  tokensOfType: (type: string) => `tokens (${type})`,
  inTrial: (tokens: string, trial: string) => `${tokens}, ${trial} during the trial`,
  startTrial: (days: number) => `Start ${dayCount(days)} free`,
  pay: (amount: string) => `Pay ${amount}`,
  dueToday: (amount: string) => `Due today: ${amount}.`,
  afterTrial: (price: string, days: number) => `After ${dayCount(days)}: ${price}, until you cancel.`,
  afterTrialThen: (days: number, interval: Interval, count: number, price: string, then: string) =>
    `After ${dayCount(days)} you pay ${price} for ${duration(interval, count)}, then ${then}, until you cancel.`,
  renewsAt: (price: string) => `Then ${price}, until you cancel.`,
  ends: (label: string) => `Your subscription ${label} ends: you are not charged for it again.`,
  // Offers.
  regularPrice: 'Regular price:',
  offerPrice: 'Now:',
  firstPeriods: (interval: Interval, count: number, then: string) =>
    `For the first ${periods(interval, count)}, then ${then}`,
  whileSubscribed: 'For as long as you stay subscribed',
  daysLeft: (days: number) => (days === 1 ? 'Last day' : `${dayCount(days)} left`),
  firstThen: (interval: Interval, count: number, price: string, then: string) =>
    `For the first ${periods(interval, count)} you pay ${price}, then ${then}, until you cancel.`,
  haveCode: 'Have a code?',
  discountCode: 'Discount code',
  applyCode: 'Apply',
  codeApplied: (code: string, title: string) => `Code ${code}: ${title}`,
  removeCode: 'Remove code',
  codeLowersNothing: 'This code does not lower any of the prices on this page.',
  wrongDiscountCode: 'We do not know this code. Please check it.',
  offerProblems: {
    unknown: 'We do not know this code. Please check it.',
    not_for_purchases: 'This offer is not for new purchases.',
    not_started: 'This offer has not started yet.',
    ended: 'This offer has ended.',
    other_price: 'This offer does not apply to this price.',
    other_country: 'This offer is not available in your country.',
    no_trial: 'This offer cannot be combined with a trial.',
    used_up: 'This offer has just been used up.',
    used: 'You have already used this offer.',
  },
  offerGone: (problem: string, price: string) => `${problem} The price is now ${price}. You have not been charged.`,
  offerChanged: 'The price has just changed. Please check it before you buy.',

  currentPlan: 'Your plan',
  planFrom: (day: string) => `Your plan from ${day}`,
  oneSubscription: 'You already have a subscription.',
  hasAccess: 'You have access.',
  notBought: 'Your purchase was not completed, and you were not charged. You can try again at any time.',
  leavingToCheckout: 'Redirecting to checkout…',
  leavingToPortal: 'Redirecting to the billing portal…',
  leavingText: 'If you are not redirected, press Continue.',
  leavingLink: 'Continue',
  close: 'Close',

  // After paying.
  thanks: 'Thank you!',
  thanksText: 'Your purchase is confirmed.',
  pending: 'Your payment is being processed',
  pendingText: 'We are waiting for the confirmation. This page updates automatically.',
  pendingLong:
    'This is taking longer than usual. You can close this page: your purchase will appear in your account automatically.',
  otherSubscriptionRenews: (label: string) => `You still have ${label}. It renews unless you cancel it.`,
  thanksSignedOut:
    'If you have just paid, your purchase is being processed. To see it here, sign in with your e-mail address.',
  backTo: (name: string) => `Back to ${name}`,

  // Signing in.
  signInText: 'Sign in to see your purchases. We will e-mail you a code, so you need no password.',
  signInToKeepPurchase:
    'Your purchase is linked only to this browser so far. Sign in with your e-mail address to use it on all your devices and to manage it.',
  signInToBuy: 'Please sign in with your e-mail address before you pay. You will then return to your choice.',
  email: 'E-mail address',
  requestCode: 'Send me a code',
  codeSent: (email: string) => `We sent a code to ${email}. It may take a minute to arrive.`,
  code: 'Code from the e-mail',
  codeHint: 'Eight digits. The code expires in 10 minutes and works once.',
  acceptRestoredPurchase: 'If the e-mail mentions a purchase made with this address, add it to my account',
  signIn: 'Sign in',
  requestNewCode: 'Send another code',
  signedInAs: (email: string) => `Signed in as ${email}`,
  signOut: 'Sign out',

  // Restoring.
  restore: 'Restore a purchase',
  restoreText:
    'Have you paid, but do not see your purchase here? Enter the e-mail address that you used when you paid. We will e-mail you a ' +
    'code that restores your purchase.',
  restoreEverywhere:
    'It then belongs to your account, and you see it on every device where you sign in with this address. You will be signed out on ' +
    'the device where you bought without signing in.',
  sessionEnds: {
    merged:
      'You are signed out here, because what you bought on this device now belongs to the account that you signed in to elsewhere. Sign in ' +
      'with the same e-mail address to see it.',
    expired: 'Your session on this device has ended. Sign in again to see your purchases.',
  },
  restored: 'Welcome back. Here are your purchases.',
  nothingRestored: 'We found no purchases for this address.',

  // The account.
  accessUntil: (day: string) => `You have access until ${day}.`,
  nothingBought: 'You have not bought anything yet.',
  seePrices: 'See prices',
  earlier: 'Earlier purchases',
  tokens: 'Tokens',
  portal: 'Payment method and invoices',
  utc: 'All dates are in UTC.',
  statuses: {
    pending: 'Pending',
    trialing: 'Free trial',
    active: 'Active',
    past_due: 'Payment failed',
    paused: 'Paused',
    canceled: 'Ended',
    refunded: 'Refunded',
  } satisfies Record<PurchaseStatus, string>,
  boughtOn: (day: string) => `Bought on ${day}`,
  renewsOn: (day: string) => `Renews on ${day}`,
  endsOn: (day: string) => `Does not renew. You have access until ${day}`,
  trialUntil: (day: string) => `Free until ${day}. It then renews unless you cancel`,
  pastDue: 'The last payment failed. Please check your payment method',
  paused: 'You are not charged while it is paused',
  replaced: 'Replaced by your newer purchase',
  pendingPayment: 'Your payment is being processed',

  // Payments.
  payments: 'Payments',
  noPayments: 'No payments yet.',
  earlierPayments: 'Earlier payments',
  includesTax: (tax: string) => `incl. ${tax} tax`,
  takenOff: (discount: string) => `${discount} off`,
  refundedInFull: 'Refunded',
  partlyRefunded: (amount: string) => `${amount} refunded`,
  disputed: 'Disputed',
  receipt: 'Receipt',
  receiptPending: 'Your receipt is being prepared. It opens here in a few seconds.',
  receiptLate: 'Your receipt is not ready yet. Please try again in a few minutes.',
  noReceipt: 'There is no receipt for this payment. If you have just paid, please try again in a few minutes.',

  // Changing the plan.
  changePlan: 'Change plan',
  changeUnits: 'Change the number of units',
  changeTo: (label: string) => `Change to ${label}`,
  fromTo: (from: string, to: string) => `From ${from} to ${to}.`,
  planUntil: (label: string, day: string) => `You keep ${label} until ${day}.`,
  creditIncluded: (amount: string) => `This includes a credit of ${amount} for the rest of your current period.`,
  nextPayment: (amount: string, day: string) => `Next payment: ${amount} on ${day}.`,
  renewsUntilCancelled: (price: string) => `It renews at ${price}, until you cancel.`,
  trialEndsNow: 'Your free trial ends today.',
  isEstimate: 'The amounts are estimates: the payment service calculates them when you confirm.',
  renewsAgain: 'Your subscription is cancelled. After the change it renews again.',
  payAndChange: (amount: string) => `Pay ${amount} and change`,
  changeNow: 'Change now',
  changeOn: (day: string) => `Change on ${day}`,
  keepPlan: (label: string) => `Keep ${label}`,
  planKept: (label: string) => `You keep ${label}`,
  planUnscheduled: (label: string) => `You will not change to ${label}.`,
  planChanged: (label: string) => `You have changed to ${label}`,
  planPending: (label: string) => `Your change to ${label} is on its way`,
  planPendingHint: 'Your bank is processing the payment, which may take some days. Your plan changes once it is paid.',
  planWillChange: (label: string, day: string) => `You will change to ${label} on ${day}`,
  paymentDeclined:
    'Your payment was declined, and nothing has changed. Please check your payment method, then try again.',
  quoteExpired: 'The amount may have changed. Please check it and confirm again.',
  otherCurrency: 'This price is not sold in the currency of your subscription.',
  fixedPlan: 'The plan of this subscription cannot be changed right now.',
  cancelledPlan:
    'Your subscription is cancelled. Undo the cancellation in the billing portal before you change the plan.',

  // Cancelling.
  cancel: 'Cancel subscription',
  cancelTitle: (label: string) => `Cancel ${label}`,
  cancelText: (day: string) => `It will not renew. You keep access until ${day}.`,
  cancelAtOnceText: 'Your trial and your access will end immediately. You will not be charged.',
  whyCancel: 'Why are you cancelling?',
  reasons: {
    price: 'It is too expensive',
    unused: 'I do not use it enough',
    missing: 'Something that I need is missing',
    quality: 'It does not work well',
    other: 'Something else',
  },
  cancellationComment: 'Tell us more (optional)',
  cancelNow: 'Cancel subscription now',
  keepIt: 'Keep subscription',
  cancelled: 'Your subscription is cancelled and will not renew.',
  hasEnded: 'Your subscription and your access have ended.',
  beforeYouGo: 'Before you go',
  stayPrice: (price: string, interval: Interval, count: number, then: string, day: string) =>
    `From ${day} you pay ${price} for ${duration(interval, count)}, then ${then}, until you cancel.`,
  stayPriceForEver: (price: string, day: string) => `From ${day} you pay ${price}, until you cancel.`,
  stayAt: (price: string) => `Keep it at ${price}`,
  stayHint: 'Nothing is charged today.',
  stayed: "We're glad you're staying",
  stayedText: 'Your subscription continues, and nothing was cancelled.',
  otherDiscount:
    'This offer cannot be added: your subscription already has a discount, is about to change, or is paid in a way that does not allow it.',
  add: (label: string) => `Add ${label}`,
  addHint: 'Once you have paid, your current subscription is not charged again.',

  // Support.
  ticket: 'Contact support',
  subject: 'Subject',
  message: 'Message',
  images: 'Images (optional)',
  imagesHint: `Up to ${TICKET_FILES_LIMIT} images (JPEG, PNG or WebP), ${TICKET_FILE_MEGABYTES} MB each.`,
  imagesAgain: 'We kept your text. Please choose your images again.',
  send: 'Send',
  ticketOpened: (id: number) => `We received your message (#${id}) and will reply by e-mail.`,

  // Errors.
  problem: 'Something went wrong',
  notFound: 'Page not found',
  toFront: 'Go to the front page',
  notFoundText: 'Check the address, or go back to the previous page.',
  failed: 'Something went wrong on our side. Please try again in a moment.',
  tryLater: (minutes: number) => `Too many attempts. Please try again in ${waitText(minutes)}.`,
  unavailable: 'The service is temporarily unavailable. Please try again in a moment.',
  tryAgain: 'Try again',
  processorUnavailable: 'The payment service is not responding. Please try again in a moment.',
  processorRejected: 'The payment service rejected this request. If this happens again, please contact support.',
  tooLarge: 'Your input is too long. Please shorten it.',
  outdated: 'This page was out of date. Please try again.',
  sessionEnded: 'Your session has ended. Please sign in again.',
  forged: 'This request did not come from this page. Go back, reload the page and try again.',
  activePurchase: 'You already have an active purchase. You can manage it in your account.',
  priceGone: 'This price has just changed. Please choose again.',
  choosePrice: 'Please choose an option first.',
  chooseReason: 'Please choose a reason.',
  alreadyCancelled: 'This subscription is already cancelled.',
  noPortal: 'The payment service does not offer this page. Please contact support.',
  wrongEmail: 'Please enter a valid e-mail address.',
  wrongCode: 'This code is incorrect or has expired. Please check it, or request a new one.',
  captchaNeeded: 'Please confirm that you are human, then request a code again.',
  captchaUnavailable: 'We cannot verify right now that you are human. Please try again later.',
  ticketMayBeOpen: 'We do not know whether your message has arrived. Please send it again only if you get no reply.',
  ticketTexts:
    `Please enter a subject of ${TICKET_SUBJECT_LENGTH.join(' to ')} characters ` +
    `and a message of up to ${TICKET_CONTENT_LENGTH[1].toLocaleString('en')} characters.`,
  wrongImages: `Please choose up to ${TICKET_FILES_LIMIT} images (JPEG, PNG or WebP), ${TICKET_FILE_MEGABYTES} MB each.`,
}

export type Texts = typeof EN
