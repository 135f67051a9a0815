import { createHmac } from 'node:crypto'
import { afterAll, beforeAll } from 'vitest'
import { EMULATORS } from '../../../dev/emulators/emulators.ts'
import { type Buyer, open } from '../../conformance/buyer.ts'
import { paywallAt, type Shop, shopAt } from '../../conformance/shop.ts'
import { call } from '../../support/call.ts'
import { press } from '../../support/checkout.ts'
import { startTestWorld, type TestWorld } from '../../support/world.ts'

/** The emulator of a shop, with the controls that only Freemius has. */
export const getFreemius = ({ world }: Shop) => world.freemius

/**
 * One world for all cases of a file, with three paywalls of one owner: two sell the same product, the third has its own
 * product. The product's buyers return to the first.
 */
export function useProduct(): () => { shop: Shop; sister: Shop; stranger: Shop } {
  let world: TestWorld
  beforeAll(async () => {
    const processor = { acquiring: 'freemius', credentials: EMULATORS.freemius.demoCredentials() }
    const sold = paywallAt('freemius')
    world = await startTestWorld({ file: { paywalls: [{ ...sold, processor }, { ...sold, processor }, sold] } })
  })
  afterAll(() => world.close())
  return () => {
    const [one, two, three] = world.file.paywalls.map((paywall) => shopAt(world, paywall, paywall))
    return { shop: one!, sister: two!, stranger: three! }
  }
}

export const again = { body: { ignoreActivePurchase: true } }

/** Opens another page for a buyer. */
export const openMore = ({ email }: Buyer, shop: Shop, slug: Parameters<typeof open>[1] = 'monthly'): Promise<Buyer> =>
  open(shop, slug, { ...again, email })

/** Pays, and returns the URL that Freemius redirects to. */
export const payAndGetReturnUrl = ({ checkoutUrl }: Pick<Buyer, 'checkoutUrl'>): Promise<string> =>
  press(checkoutUrl, 'pay')

/** Follows redirects up to the first URL outside the service, or the first reply that does not redirect. */
export async function follow({ world }: Shop, address: string): Promise<{ status: number; at: string; body: unknown }> {
  for (let at = address; ; ) {
    const { status, headers, body } = await call(world, at)
    if (status !== 303) return { status, at, body }
    at = headers.location ?? ''
    if (!at.startsWith(world.url)) return { status, at, body: null }
  }
}

/** A paywall's return URL, signed by its product, with some query fields changed or, if null, removed. */
export function signReturnUrl(
  address: string,
  { processor, id }: Shop['paywall'],
  changes: Record<string, string | null>,
) {
  const url = new URL(address)
  url.pathname = `/return/freemius/${id}`
  url.searchParams.delete('signature')
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) url.searchParams.delete(name)
    else url.searchParams.set(name, value)
  }
  const { secretKey } = processor.credentials as { secretKey: string }
  return `${url}&signature=${createHmac('sha256', secretKey).update(url.href).digest('hex')}`
}

/** The prices that a buyer has bought on a paywall, sorted. */
export async function readBoughtPrices({ shop: { world, paywall }, userId }: Buyer): Promise<string[]> {
  const { rows } = await world.database.query<{ slug: string }>(
    `select price.slug from purchases p join prices price on price.id = p.price_id
     where p.user_id = $1 and p.paywall_id = $2 order by price.slug`,
    [userId, paywall.id],
  )
  return rows.map(({ slug }) => slug)
}

/** How many pages of a buyer have sold something, and how many are open. */
export async function readPages({ shop: { world, paywall }, userId }: Buyer): Promise<{ sold: number; open: number }> {
  const { rows } = await world.database.query<{ sold: number; open: number }>(
    `select count(completed_at)::int as sold, (count(*) - count(completed_at))::int as open
     from checkouts where user_id = $1 and paywall_id = $2`,
    [userId, paywall.id],
  )
  return rows[0]!
}
