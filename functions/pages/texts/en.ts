// What the pages themselves say, in English. An owner's texts stand in the paywall file.
import type { Interval, PurchaseStatus } from '../../../lib/processors/processor.ts'

const every = (interval: Interval, count: number) => (count === 1 ? `per ${interval}` : `every ${count} ${interval}s`)

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
  geo: 'IP Geolocation by DB-IP',

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
  stillHave: (label: string) => `You still have ${label}. It renews, unless you cancel it.`,
  thanksGuest:
    'If you have just paid, your purchase is being made ready. To see it here, sign in with your e-mail address.',
  backTo: (name: string) => `Back to ${name}`,

  // Signing in.
  signInText: 'Sign in to see what you have bought. We mail you a code: there is no password.',
  keepPurchase:
    'So far only this browser knows what you have bought. Sign in with your e-mail address to have it everywhere, and to change it.',
  signInToBuy: 'Before you pay, please sign in with your e-mail address. You come back to your choice then.',
  email: 'E-mail address',
  mailCode: 'Send me a code',
  codeSent: (email: string) => `We have mailed a code to ${email}. It may take a minute.`,
  code: 'Code from the mail',
  codeHint: 'Eight digits. The code expires in 10 minutes and works once.',
  takeRestored: 'If the mail says that something was bought with this address, bring it to my account',
  signIn: 'Sign in',
  mailAgain: 'Send another code',
  signedInAs: (email: string) => `Signed in as ${email}`,
  signOut: 'Sign out',

  // Restoring.
  restore: 'Restore a purchase',
  restoreText:
    'Have you paid, but this browser does not know it? Enter the e-mail address that you gave when you paid. We mail you a code that ' +
    'brings your purchase here.',
  restored: 'Welcome back. Here is what you have bought.',
  nothingRestored: 'Nothing was bought with this address.',

  // The account.
  nothingBought: 'You have not bought anything yet.',
  seePrices: 'See the prices',
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
  endsOn: (day: string) => `Does not renew. It is yours until ${day}`,
  trialUntil: (day: string) => `Free until ${day}. It renews then, unless you cancel before`,
  pastDue: 'The last payment failed. Please check your payment method',
  paused: 'No payments are made while it is paused',
  replaced: 'Your newer purchase replaces it',
  pendingPayment: 'Your payment is on its way',

  // Cancelling.
  cancel: 'Cancel subscription',
  cancelTitle: (label: string) => `Cancel ${label}`,
  cancelText: (day: string) => `It will not renew. Until ${day} it stays yours.`,
  cancelAtOnceText: 'Your trial ends at once, and so does your access. You are not charged.',
  whyCancel: 'Why do you cancel?',
  reasons: {
    price: 'It is too expensive',
    unused: 'I do not use it enough',
    missing: 'Something that I need is missing',
    quality: 'It does not work well',
    other: 'Something else',
  },
  inYourWords: 'In your words, if you like',
  cancelNow: 'Cancel subscription now',
  keepIt: 'Keep it',
  cancelled: 'Your subscription is cancelled and will not renew.',
  hasEnded: 'Your subscription has ended, and so has your access.',
  beforeYouGo: 'Before you go',
  add: (label: string) => `Add ${label}`,
  addHint: 'What you have now goes on until you cancel it.',

  // Support.
  ticket: 'Contact support',
  subject: 'Subject',
  message: 'Message',
  images: 'Images, if they help',
  imagesHint: 'At most five, JPEG, PNG or WebP, of 10 MB each.',
  imagesAgain: 'Your text is still there, but please choose your images again.',
  send: 'Send',
  ticketOpened: (id: number) => `Thank you. Your message has arrived as number ${id}; the answer comes by e-mail.`,

  // What went wrong.
  problem: 'That did not work',
  notFound: 'Page not found',
  notFoundText: 'Check the address, or go back to where you came from.',
  failed: 'Something went wrong on our end. Please try again in a moment.',
  tryLater: (minutes: number) => `Too many requests. Please try again in ${waitText(minutes)}.`,
  unavailable: 'We cannot reach our records just now. Please try again in a moment.',
  tryAgain: 'Try again',
  processorUnavailable: 'The payment service does not answer just now. Please try again in a moment.',
  processorRejected: 'The payment service did not accept that. If it happens again, please contact support.',
  tooLarge: 'That is too much to send. Please shorten it.',
  outdated: 'This page was out of date. Please try again.',
  forged: 'This request did not come from this page. Go back, reload the page and try again.',
  activePurchase: 'You have this already. Your account shows it.',
  priceGone: 'This price has just changed. Please choose again.',
  choosePrice: 'Please choose a price first.',
  chooseReason: 'Please choose a reason.',
  alreadyCancelled: 'This is cancelled already.',
  noPortal: 'There is no page for this at the payment service. Please contact support.',
  wrongEmail: 'Please enter a valid e-mail address.',
  wrongCode: 'This code is incorrect or has expired.',
  captchaNeeded: 'Please confirm that you are human, then request a code again.',
  captchaUnavailable: 'We cannot check right now that you are human. Please try again later.',
  ticketMayBeOpen: 'We cannot tell whether your message has arrived. Please send it again only if nobody answers.',
  ticketTexts: 'Please enter a subject of 3 to 200 characters, and a message of 5,000 characters at most.',
  wrongImages: 'Please choose at most five images, JPEG, PNG or WebP, of 10 MB each.',
}

export type Texts = typeof EN
