import type { Dice } from './dice.ts'
import { VALUES } from './hostile.ts'
import type { People } from './people.ts'

/** An operation of the contracts, and a valid query or body for it: fields and their JSON. */
export interface Endpoint {
  /** The operation's id. */
  id: string
  /** The callers that may get 200. */
  callers: readonly [Caller, ...Caller[]]
  body?: (people: People, dice: Dice) => [name: string, json: string][]
  query?: (people: People, dice: Dice) => string
}

export type Caller = 'key' | 'user' | 'nobody'

const json = JSON.stringify
const address = (dice: Dice) => json(`fuzz-${dice.below(1e9)}@example.com`)

/** An owner may keep anything in a user's meta: every other value here is hostile. */
function meta(dice: Dice): string {
  const value = dice.pick(VALUES)
  return dice.pick(['{"a":1}', '{"b":[2]}', `{"a":${value}}`, `{"b":[2,${value}]}`])
}

export const ENDPOINTS: readonly [Endpoint, ...Endpoint[]] = [
  { id: 'bootstrap', callers: ['nobody', 'user'] },
  { id: 'findPaywall', callers: ['nobody'] },
  {
    id: 'readUser',
    callers: ['key', 'user'],
    query: ({ members, subscribers }, dice) => {
      const { id, email } = dice.pick([...members, ...subscribers])
      return dice.pick([`user_id=${id}`, `email=${email}`, `user_id=${id}&email=${email}`])
    },
  },
  {
    id: 'startCheckout',
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
      ['country', dice.pick(['"IN"', '"XX"', 'null'])],
    ],
  },
  {
    id: 'cancelSubscription',
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
    id: 'getCustomerPortal',
    callers: ['key', 'user'],
    body: ({ subscribers, members }, dice) => [
      ['email', json(dice.pick([...subscribers, ...members]).email)],
      ['userMeta', meta(dice)],
    ],
  },
  {
    id: 'openTicket',
    callers: ['nobody', 'user'],
    body: (_people, dice) => [
      ['subject', '"It does not load"'],
      ['content', '"I paid and see nothing."'],
      ['customer_email', address(dice)],
    ],
  },
  {
    id: 'changeBalance',
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
    id: 'withdrawTokens',
    callers: ['key'],
    body: ({ ours, members }, dice) => [
      ['paywall_id', json(ours.paywall.id)],
      ['user_id', json(dice.pick(members).id)],
      ['tokens', String(1 + dice.below(20))],
      ['token_type', '"standard"'],
    ],
  },
  {
    id: 'sendSignInCode',
    callers: ['nobody'],
    body: (_people, dice) => [['email', address(dice)]],
  },
  {
    id: 'endSession',
    callers: ['nobody'],
    body: () => [['refresh_token', json(`00000000-0000-4000-8000-000000000000.${'A'.repeat(43)}`)]],
  },
  {
    id: 'giveTokens',
    callers: ['nobody'],
    body: (_people, dice) =>
      dice.pick([
        [['grant_type', '"anonymous"']],
        [
          ['grant_type', '"code"'],
          ['email', address(dice)],
          ['code', '"12345678"'],
          ['challenge', '"x"'],
        ],
        [
          ['grant_type', '"refresh_token"'],
          ['refresh_token', '"00000000-0000-0000-0000-000000000000.x"'],
        ],
      ]),
  },
  {
    id: 'exchangeTokens',
    callers: ['key'],
    body: (_people, dice) => [['email', address(dice)]],
  },
  {
    id: 'processorWebhook',
    callers: ['nobody'],
    body: () => [
      ['id', '"evt_1"'],
      ['object', '"event"'],
      ['type', '"customer.subscription.updated"'],
      ['data', '{"object":{"id":"sub_1","object":"subscription"}}'],
    ],
  },
  {
    id: 'checkoutReturn',
    callers: ['nobody'],
  },
  {
    id: 'signedReturn',
    callers: ['nobody'],
  },
]
