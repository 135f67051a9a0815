import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../operations/operations.ts'
import type { Reply } from '../support/call.ts'
import { newEmail, parseOpened, press } from '../support/checkout.ts'
import { ALLOWED_CALLS, type AllowedCall, callOperation, onPaywall, shown } from '../support/operation-call.ts'
import { getGrant, type Session, signInAnonymously } from '../support/sign-in.ts'
import { stateChecksum } from '../support/state-checksum.ts'
import { countStatements } from '../support/statements.ts'
import { type Subscriber, subscribe } from '../support/subscriber.ts'
import { type Tenant, tenant } from '../support/tenants.ts'
import { until } from '../support/until.ts'
import { useTestWorld } from '../support/world.ts'

interface Place extends Tenant {
  /** The origin that serves it. */
  origin: string
  /** A user whom the owner's calls name, and a user who makes its own calls. */
  served: Subscriber
  signedIn: Subscriber
  session: Session
  /** A checkout that was paid, but whose buyer has not returned. */
  checkoutId: string
}

const DOMAIN = 'pay.mine.example'

/** Two paywalls of one owner: one with a custom domain, and one without. */
let mine: Place
let sibling: Place

const world = useTestWorld({ file: { paywalls: [{ domain: DOMAIN }, {}] } })

beforeAll(async () => {
  const [first, second] = await Promise.all(world.file.paywalls.map(openPlace))
  ;[mine, sibling] = [first!, second!]
  await world.stripe.drainWebhooks()
})

async function openPlace(paywall: Tenant['paywall']): Promise<Place> {
  const place = { ...tenant(world.file), paywall, origin: paywall.domain ? `https://${paywall.domain}` : world.url }
  const order = { key: place.key, origin: place.origin }
  const opened = await callOperation(
    world,
    'startCheckout',
    { ...onPaywall(paywall), user: { email: newEmail() } },
    order,
  )
  const returnUrl = new URL(await press(parseOpened(opened).checkoutUrl, 'pay'))
  return {
    ...place,
    served: await subscribe(world, place),
    signedIn: await subscribe(world, place),
    session: await signInAnonymously(world, { paywallId: paywall.id }),
    checkoutId: returnUrl.pathname.split('/')[2]!,
  }
}

/** A valid request of an operation about a paywall by one kind of caller, at any host. */
async function ask({ name, caller }: AllowedCall, place: Place, origin: string): Promise<Reply> {
  const { paywall, key, served, signedIn } = place
  const credential = { owner: { key }, user: { token: signedIn.token }, anybody: {} }[caller]
  const user = {
    owner: { user: served, purchaseId: served.purchaseId, fields: { userMeta: { seen: true } } },
    user: { purchaseId: signedIn.purchaseId },
    anybody: { user: { email: newEmail() } },
  }[caller]
  const subject = {
    ...onPaywall(paywall),
    ...user,
    checkoutId: place.checkoutId,
    refreshToken: place.session.refreshToken,
    ...(name === 'issueTokens by code' && { grant: await getGrant(world, newEmail(), { paywallId: paywall.id }) }),
  }
  return callOperation(world, name, subject, { ...credential, origin, signedFor: paywall })
}

test('a custom domain returns 404 for any other paywall, even with valid credentials, and changes nothing', async () => {
  const read = () => callOperation(world, 'bootstrap', onPaywall(sibling.paywall))
  await until('the edge cache has it', async () => (await countStatements(world, read)) === 0)
  const before = await stateChecksum(world)
  for (const each of ALLOWED_CALLS) {
    // A host name may end with the dot of the root.
    for (const origin of [mine.origin, `${mine.origin}.`]) {
      const reply = await ask(each, sibling, origin)
      expect(shown(reply), each.name).toBe(OPERATIONS[each.name]!.otherDomain)
      expect(JSON.stringify(reply), each.name).not.toContain(sibling.served.email)
      expect(JSON.stringify(reply.body), each.name).not.toContain(sibling.paywall.id)
    }
  }
  expect(await stateChecksum(world)).toBe(before)
})

describe('a paywall is served on its own domain, or on ours if it has none:', () => {
  test.each(ALLOWED_CALLS)('$name by $caller', async (each) => {
    const { success = 200, otherDomain, allPaywalls } = OPERATIONS[each.name]!
    const namesPaywall = otherDomain !== '200'
    for (const place of namesPaywall ? [mine, sibling] : [mine]) {
      expect(await ask(each, place, allPaywalls ? world.url : place.origin)).toMatchObject({ status: success })
    }
  })
})

describe('what is about all paywalls of an owner is not served on the domain of one:', () => {
  test.each(ALLOWED_CALLS.filter(({ name }) => OPERATIONS[name]!.allPaywalls))('$name by $caller', async (each) => {
    for (const origin of [mine.origin, `${mine.origin}.`]) {
      expect(shown(await ask(each, mine, origin))).toBe('404 not_found')
    }
    expect(
      await callOperation(world, each.name, onPaywall(mine.paywall), { key: 'x', origin: mine.origin }),
    ).toMatchObject({ status: 401 })
  })
})

test('a stored reply of start-checkout is replayed only at its paywall’s origin, and expires after a day', async () => {
  const key = randomUUID()
  const subject = { ...onPaywall(sibling.paywall), user: { email: newEmail() } }
  const askAt = ({ origin }: Place) =>
    callOperation(world, 'startCheckout', subject, { key: sibling.key, origin, headers: { 'idempotency-key': key } })
  const { checkoutUrl } = parseOpened(await askAt(sibling))
  const replies = await world.workers.kv('start-checkout', 'CHECKOUT_REPLIES')
  const stored = await until('a reply in KV', async () =>
    (await replies.list()).keys.find(({ name }) => name.endsWith(key)),
  )
  expect(await askAt(mine)).toMatchObject({ status: 404, body: { error: 'paywall_not_found' } })
  expect(parseOpened(await askAt(sibling)).checkoutUrl).toBe(checkoutUrl)

  const day = 24 * 60 * 60
  const secondsLeft = (stored.expiration ?? 0) - Date.now() / 1000
  expect(secondsLeft).toBeGreaterThan(day - 60)
  expect(secondsLeft).toBeLessThanOrEqual(day + 1)
})
