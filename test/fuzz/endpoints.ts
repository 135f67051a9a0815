import type { Dice } from './dice.ts'
import { VALUES } from './hostile.ts'
import type { People } from './people.ts'

/** An endpoint of the service and a good body for it: members and their JSON. */
export interface Endpoint {
  name: string
  method: 'GET' | 'POST'
  /** Between the host and the query. `{id}` is the paywall. */
  path: string
  /** Who may be answered with 200. */
  callers: readonly [Caller, ...Caller[]]
  body?: (people: People, dice: Dice) => [name: string, json: string][]
  query?: (people: People, dice: Dice) => string
}

export type Caller = 'key' | 'user' | 'nobody'

const V1 = '/api/v1/paywall/{id}'
const json = JSON.stringify
const address = (dice: Dice) => json(`fuzz-${dice.below(1e9)}@example.com`)

/** What an owner keeps about a user is the owner's business, down to its members: every other one is hostile. */
function meta(dice: Dice): string {
  const value = dice.pick(VALUES)
  return dice.pick(['{"a":1}', '{"b":[2]}', `{"a":${value}}`, `{"b":[2,${value}]}`])
}

export const ENDPOINTS: readonly [Endpoint, ...Endpoint[]] = [
  { name: 'bootstrap', method: 'GET', path: `${V1}/bootstrap`, callers: ['nobody', 'user'] },
  {
    name: 'user',
    method: 'GET',
    path: `${V1}/user`,
    callers: ['key', 'user'],
    query: ({ members, subscribers }, dice) => {
      const { id, email } = dice.pick([...members, ...subscribers])
      return dice.pick([`user_id=${id}`, `email=${email}`, `user_id=${id}&email=${email}`])
    },
  },
  {
    name: 'start-checkout',
    method: 'POST',
    path: `${V1}/start-checkout`,
    callers: ['key', 'user'],
    body: ({ ours, members }, dice) => [
      ['email', dice.pick([address(dice), json(members[0].email)])],
      ['priceId', json(ours.paywall.prices[dice.below(2)]?.id)],
      ['successUrl', '"https://owner.example/thanks?session=__SESSION__"'],
      ['errorUrl', '"https://owner.example/sorry"'],
      ['shopUrl', '"https://owner.example/"'],
      ['trial_days', dice.pick(['null', '0', '730'])],
      ['ignoreActivePurchase', 'true'],
      ['userMeta', meta(dice)],
      ['localCurrency', '"INR"'],
    ],
  },
  {
    name: 'cancel-subscription',
    method: 'POST',
    path: '/api/paywall/cancel-subscription',
    callers: ['key', 'user'],
    body: ({ ours, subscribers }, dice) => {
      const { purchaseId, subscriptionId, id, email } = dice.pick(subscribers)
      return [
        ['subscriptionId', json(dice.pick([purchaseId, subscriptionId]))],
        ['cancellationReason', '"too expensive"'],
        ['paywallId', json(ours.paywall.id)],
        ['userId', json(id)],
        ['email', json(email)],
      ]
    },
  },
  {
    name: 'get-customer-portal',
    method: 'POST',
    path: `${V1}/get-customer-portal`,
    callers: ['key', 'user'],
    body: ({ subscribers, members }, dice) => [
      ['email', json(dice.pick([...subscribers, ...members]).email)],
      ['userMeta', meta(dice)],
    ],
  },
  {
    name: 'support/ticket',
    method: 'POST',
    path: `${V1}/support/ticket`,
    callers: ['nobody', 'user'],
    body: (_people, dice) => [
      ['subject', '"It does not load"'],
      ['content', '"I paid and see nothing."'],
      ['customer_email', address(dice)],
    ],
  },
  {
    name: 'balances',
    method: 'POST',
    path: `${V1}/balances`,
    callers: ['key'],
    body: ({ members }, dice) => {
      const { id, email } = dice.pick(members)
      return [
        ['op', dice.pick(['"credit"', '"debit"'])],
        ['amount', String(1 + dice.below(50))],
        ['type', dice.pick(['"standard"', '"premium"'])],
        ['user_id', json(id)],
        ['email', json(email)],
      ]
    },
  },
  {
    name: 'withdraw-tokens',
    method: 'POST',
    path: '/api/v1/withdraw-tokens',
    callers: ['key'],
    body: ({ ours, members }, dice) => [
      ['paywall_id', json(ours.paywall.id)],
      ['user_id', json(dice.pick(members).id)],
      ['tokens', String(1 + dice.below(20))],
      ['token_type', '"standard"'],
    ],
  },
  {
    name: 'sign-in/code',
    method: 'POST',
    path: `${V1}/sign-in/code`,
    callers: ['nobody'],
    body: (_people, dice) => [['email', address(dice)]],
  },
  {
    name: 'sign-in/token',
    method: 'POST',
    path: `${V1}/sign-in/token`,
    callers: ['nobody'],
    body: (_people, dice) =>
      dice.pick([
        [['grant_type', '"anonymous"']],
        [
          ['grant_type', '"code"'],
          ['email', address(dice)],
          ['code', '"123456"'],
        ],
        [
          ['grant_type', '"refresh_token"'],
          ['refresh_token', '"00000000-0000-0000-0000-000000000000.x"'],
        ],
      ]),
  },
  {
    name: 'sign-in/exchange',
    method: 'POST',
    path: `${V1}/sign-in/exchange`,
    callers: ['key'],
    body: (_people, dice) => [['email', address(dice)]],
  },
  {
    name: 'processor-webhook',
    method: 'POST',
    path: '/webhooks/stripe/{id}',
    callers: ['nobody'],
    body: () => [
      ['id', '"evt_1"'],
      ['object', '"event"'],
      ['type', '"customer.subscription.updated"'],
      ['data', '{"object":{"id":"sub_1","object":"subscription"}}'],
    ],
  },
  {
    name: 'checkout-return',
    method: 'GET',
    path: '/r/{id}/success',
    callers: ['nobody'],
  },
]
