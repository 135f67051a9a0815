import type { Names } from '../operations/operation.ts'
import { OPERATIONS } from '../operations/operations.ts'
import { type OperationRequest, toRequest } from '../operations/request.ts'
import { onPaywall } from '../support/operation-call.ts'
import type { Dice } from './dice.ts'
import { VALUES } from './hostile.ts'
import type { People } from './people.ts'

const newAddress = (dice: Dice) => `fuzz-${dice.below(1e9)}@example.com`

/** An owner may keep anything in a user's meta: every other value here is hostile. */
function meta(dice: Dice): string {
  const value = dice.pick(VALUES)
  return dice.pick(['{"a":1}', '{"b":[2]}', `{"a":${value}}`, `{"b":[2,${value}]}`])
}

/** Fields that are optional or have several valid values, as JSON. They are sent in addition to those of a valid request. */
const FIELDS: Record<string, (people: People, dice: Dice) => Record<string, string>> = {
  startCheckout: ({ ours }, dice) => ({
    priceId: JSON.stringify(ours.paywall.prices[dice.below(2)]?.id),
    shopUrl: '"https://owner.example/"',
    trial_days: dice.pick(['null', '0', '730']),
    userMeta: meta(dice),
    localCurrency: '"INR"',
    country: dice.pick(['"IN"', '"XX"', 'null']),
  }),
  getCustomerPortal: (_people, dice) => ({ userMeta: meta(dice) }),
  changeBalance: (_people, dice) => ({
    op: dice.pick(['"credit"', '"debit"']),
    amount: String(1 + dice.below(50)),
    type: dice.pick(['"standard"', '"premium"']),
  }),
  withdrawTokens: (_people, dice) => ({ tokens: String(1 + dice.below(20)), token_type: '"standard"' }),
}

/** A valid request of an operation. Its body is the JSON of each field. */
export interface ValidRequest extends Omit<OperationRequest, 'body'> {
  fields: [name: string, json: string][] | null
}

/** A valid request of an operation, about a user who exists if it looks one up. */
export function toValidRequest(name: string, people: People, dice: Dice): ValidRequest {
  const { ours, members, subscribers } = people
  const subscriber = dice.pick(subscribers)
  const known = dice.chance(0.5) ? subscriber : dice.pick(members)
  const { body, ...request } = toRequest(name, {
    ...onPaywall(ours.paywall),
    user: OPERATIONS[name]!.unknownUser
      ? nameUser(name, known, dice)
      : { email: dice.pick([newAddress(dice), members[0].email]) },
    // Ending a subscriber's purchase would leave less for the requests that follow.
    ...(name !== 'endPurchase' && { purchaseId: dice.pick([subscriber.purchaseId, subscriber.subscriptionId]) }),
    grant: { email: newAddress(dice), code: '12345678', challenge: 'x' },
  })
  if (!body) return { ...request, fields: null }
  const fields = Object.entries(body).map(([field, value]) => [field, JSON.stringify(value)])
  return { ...request, fields: Object.entries({ ...Object.fromEntries(fields), ...FIELDS[name]?.(people, dice) }) }
}

/** By its id, its address or both, as far as the operation accepts them. */
function nameUser(name: string, { id, email }: Required<Pick<Names, 'id' | 'email'>>, dice: Dice): Names {
  const { names = {} } = OPERATIONS[name]!
  return names.id && names.email ? dice.pick<Names>([{ id }, { email }, { id, email }]) : { id, email }
}
