import type { ApiOperation } from '../../../../lib/http/api-operation.ts'
import { EXAMPLE_PAYWALL } from '../parameters.ts'
import type { Json } from '../schemas.ts'

const SERVER_CLIENT = `import { Paywall } from 'paywall-billing-sdk'

const paywall = new Paywall({
  key: process.env.PAYWALL_KEY!,
  paywall: '${EXAMPLE_PAYWALL}',
  baseUrl: 'https://pay.example.com',
})
`

/** The SDK call on an owner's server for each operation, by its id, filled with the operation's examples. */
const SERVER_CALLS: Record<string, (example: Json) => string> = {
  bootstrap: () => 'const { prices } = await paywall.bootstrap()',
  readUser: (who) => call('const user = ', 'user', who),
  startCheckout: ({ email, priceId: price, ...order }) =>
    call('const { checkoutUrl } = ', 'checkout', { email, price, ...order }),
  cancelSubscription: ({ paywallId: _, cancellationReason: reason, ...about }) =>
    call('', 'cancel', { ...about, reason }),
  changePlan: ({ priceId: price, preview: _, ...who }) =>
    call('const { quote, due_now } = ', 'previewPlanChange', { ...who, price }),
  endPurchase: ({ purchase: purchaseId, ...about }) =>
    call('const { purchase } = ', 'endPurchase', { purchaseId, ...about }),
  refundPurchase: ({ purchase: purchaseId, ...about }) =>
    call('const { refund } = ', 'refundPurchase', { purchaseId, ...about }),
  getCustomerPortal: (who) => call('const url = ', 'portal', who),
  changeBalance: ({ op, type, amount, ...who }) =>
    `const { count } = await paywall.${op}(${literal(who)}, ${literal(type)}, ${amount})`,
  withdrawTokens: ({ paywall_id: _, ...order }) => call('const { remaining } = ', 'withdraw', order),
  createGrant: (input) => call('const { grant } = ', 'createGrant', input),
  endGrant: (input) => call('', 'endGrant', input),
  openTicket: (ticket) => call('const { ticket } = ', 'ticket', ticket),
  listEvents: () => 'for await (const { events, cursor } of paywall.events()) console.log(events.length, cursor)',
  exchangeTokens: (who) => call('const { access_token } = ', 'signIn', who),
}

const BROWSER_CLIENT = `import { createPaywall } from 'paywall-billing-sdk/browser'

const paywall = await createPaywall('https://pay.example.com')
`

/** The SDK call in a user's browser for each operation. Creating the client already makes that of `findPaywall`. */
const BROWSER_CALLS: Record<string, (example: Json) => string> = {
  findPaywall: () => 'const { id } = paywall',
  bootstrap: () => 'const { prices } = await paywall.bootstrap()',
  readUser: () => 'const user = await paywall.refresh()',
  startCheckout: ({ priceId }) => `await paywall.open(${literal(priceId)})`,
  cancelSubscription: ({ subscriptionId, cancellationReason: reason }) =>
    call('', 'cancel', { subscriptionId, reason }),
  changePlan: ({ priceId: price }) => call('const { quote, due_now } = ', 'previewPlanChange', { price }),
  getCustomerPortal: () => 'const url = await paywall.portal()',
  openTicket: ({ subject, content }) => call('const { ticket } = ', 'ticket', { subject, content }),
  sendSignInCode: ({ email }) => `await paywall.signIn(${literal(email)})`,
  issueTokens: ({ code }) => `const user = await paywall.confirm(${literal(code)})`,
  endSession: () => 'await paywall.signOut()',
}

/** The sample for an owner's server; null if servers do not call the operation. */
export const serverSample = (operation: ApiOperation): string | null => sample(SERVER_CLIENT, SERVER_CALLS, operation)

/** The sample for a page; null if pages do not call the operation. */
export const browserSample = (operation: ApiOperation): string | null =>
  sample(BROWSER_CLIENT, BROWSER_CALLS, operation)

function sample(
  client: string,
  calls: typeof SERVER_CALLS,
  { id, exampleParams, example }: ApiOperation,
): string | null {
  const line = calls[id]?.({ ...exampleParams, ...example })
  return line === undefined ? null : `${client}\n${line}`
}

function call(result: string, method: string, argument: Json): string {
  const start = `${result}await paywall.${method}(`
  return `${start}${literal(argument, start.length + 1)})`
}

/** The longest line of a sample, in characters, that the reference shows without scrolling. */
const WIDTH = 80

/** Formats a JSON value as hand-written TypeScript. `used`: the number of characters before it in its line. */
function literal(value: unknown, used = 0): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object' || value === null) return String(value)
  const fields = Object.entries(value).map(([name, each]) => `${name}: ${literal(each)}`)
  const line = `{ ${fields.join(', ')} }`
  return used + line.length <= WIDTH ? line : `{\n${fields.map((field) => `  ${field},\n`).join('')}}`
}

const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
