import type { ApiOperation } from '../../../../lib/http/api-operation.ts'
import { EXAMPLE_PAYWALL } from '../parameters.ts'
import type { Json } from '../schemas.ts'
import { literal } from './literal.ts'

const SERVER_CLIENT = `import { Paywall } from 'paywall-billing-sdk'

const paywall = new Paywall({
  key: process.env.PAYWALL_KEY!,
  paywall: '${EXAMPLE_PAYWALL}',
  baseUrl: 'https://pay.example.com',
})
`

/** How an owner's server makes the call of each operation, by its id: a line that has the operation's example in it. */
const SERVER_CALLS: Record<string, (example: Json) => string> = {
  bootstrap: () => 'const { prices } = await paywall.bootstrap()',
  readUser: (who) => call('const user = ', 'user', who),
  startCheckout: ({ email, priceId: price, ...order }) =>
    call('const { checkoutUrl } = ', 'checkout', { email, price, ...order }),
  cancelSubscription: ({ paywallId: _, cancellationReason: reason, ...about }) =>
    call('', 'cancel', { ...about, reason }),
  getCustomerPortal: (who) => call('const url = ', 'portal', who),
  changeBalance: ({ op, type, amount, ...who }) =>
    `const { count } = await paywall.${op}(${literal(who)}, ${literal(type)}, ${amount})`,
  withdrawTokens: ({ paywall_id: _, ...order }) => call('const { remaining } = ', 'withdraw', order),
  openTicket: (ticket) => call('const { ticket } = ', 'ticket', ticket),
  exchangeTokens: (who) => call('const { access_token } = ', 'signIn', who),
}

/** The program of an owner's server that makes the call with the SDK; null if no server makes it. */
export function serverSample({ id, example = {} }: ApiOperation): string | null {
  const line = SERVER_CALLS[id]?.(example)
  return line === undefined ? null : `${SERVER_CLIENT}\n${line}`
}

function call(result: string, method: string, argument: Json): string {
  const start = `${result}await paywall.${method}(`
  return `${start}${literal(argument, start.length + 1)})`
}
