// An owner's shop. How customers sign in is up to the shop: this demo trusts any address that is typed in.
import { type Context, Hono } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { csrf } from 'hono/csrf'
import { Paywall, PaywallError, type PaywallOptions } from 'paywall-billing-sdk'
import { type PaywallEvent, webhooks } from 'paywall-billing-sdk/webhooks'
import { page } from './page.ts'

type ShopOptions = PaywallOptions & { baseUrl: string; secret: string | null; test: boolean }
type Action = (c: Context, form: Record<string, unknown>) => Promise<string | null | undefined>

/** The shop, for any server that handles a `Request`. `secret` is its webhook endpoint's, if it has one; `test` accepts test events. */
export function createShop({ secret, test, ...options }: ShopOptions): Hono {
  const paywall = new Paywall(options)
  const thanks = `${options.baseUrl}/p/${options.paywall}/thanks`
  const news: string[] = []
  const customer = (c: Context) => ({ email: getCookie(c, 'email') ?? '' })
  const shop = new Hono().use(csrf())
  /** Handles a form, and goes to the page that the action returns, or back to the shop's. */
  const onForm = (path: string, action: Action) =>
    shop.post(path, async (c) => c.redirect((await action(c, await c.req.parseBody())) ?? '/', 303))

  shop.get('/', async (c) => {
    const { email } = customer(c)
    const user = email ? await paywall.user({ email }) : null
    const wanted = c.req.query('price')
    const change = wanted === undefined ? null : await paywall.previewPlanChange({ email, price: wanted })
    return c.html(page({ email, user, prices: (await paywall.bootstrap()).prices, change, news }))
  })
  onForm('/sign-in', async (c, { email }) => {
    setCookie(c, 'email', String(email), { httpOnly: true, sameSite: 'Lax' })
  })
  onForm('/buy', async (c, { price }) => {
    const targets = { successUrl: thanks, errorUrl: new URL('/', c.req.url).href }
    return (await paywall.checkout({ ...customer(c), price: String(price), ...targets })).checkoutUrl
  })
  onForm('/change', async (c, { price, quote }) => {
    return (await paywall.changePlan({ ...customer(c), price: String(price), quote: String(quote) })).checkoutUrl
  })
  shop.get('/export', async (c) => {
    const user = await paywall.user(customer(c))
    return user?.can('export') ? c.text('project,version\nMoon,7\n') : c.text('Exports require a subscription.', 403)
  })
  onForm('/convert', async (c, { job }) => {
    await paywall.debit(customer(c), 'standard', 5, { key: String(job) })
  })
  onForm('/cancel', async (c, { id }) => {
    await paywall.cancel({ ...customer(c), subscriptionId: String(id), reason: 'Cancelled in the shop' })
  })
  const on = { 'subscription.created': ({ data }: PaywallEvent) => news.push(`${data.user.email} joined`) }
  if (secret) shop.mount('/webhooks', webhooks({ secret, test, on }))
  shop.onError((error, c) => {
    if (error instanceof PaywallError) return c.text(error.message, 400)
    throw error
  })
  return shop
}
