// An owner's shop. How customers sign in is up to the shop: this demo trusts any address that is typed in.
import { type Context, Hono } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { csrf } from 'hono/csrf'
import { Paywall, PaywallError, type PaywallOptions } from 'paywall-billing-sdk'
import { type PaywallEvent, webhooks } from 'paywall-billing-sdk/webhooks'
import { page } from './page.ts'

type ShopOptions = PaywallOptions & { secret: string | null; test: boolean }

/** The shop, for any server that handles a `Request`. `secret` is its webhook endpoint's, if it has one; `test` accepts test events. */
export function createShop({ secret, test, ...options }: ShopOptions): Hono {
  const paywall = new Paywall(options)
  const news: string[] = []
  const customer = (c: Context) => ({ email: getCookie(c, 'email') ?? '' })
  const field = async (c: Context, name: string) => String((await c.req.parseBody())[name])
  const shop = new Hono().use(csrf())

  shop.get('/', async (c) => {
    const { email } = customer(c)
    const user = email ? await paywall.user({ email }) : null
    const wanted = c.req.query('price')
    const change = wanted === undefined ? null : await paywall.previewPlanChange({ email, price: wanted })
    return c.html(page({ email, user, prices: (await paywall.bootstrap()).prices, change, news }))
  })
  shop.post('/sign-in', async (c) => {
    setCookie(c, 'email', await field(c, 'email'), { httpOnly: true, sameSite: 'Lax' })
    return c.redirect('/', 303)
  })
  shop.post('/buy', async (c) => {
    const home = new URL('/', c.req.url).href
    const order = { ...customer(c), price: await field(c, 'price'), successUrl: home, errorUrl: home }
    return c.redirect((await paywall.checkout(order)).checkoutUrl, 303)
  })
  shop.post('/change', async (c) => {
    const [price, quote] = [await field(c, 'price'), await field(c, 'quote')]
    const { checkoutUrl } = await paywall.changePlan({ ...customer(c), price, quote })
    return c.redirect(checkoutUrl ?? '/', 303)
  })
  shop.get('/export', async (c) => {
    const user = await paywall.user(customer(c))
    return user?.can('export') ? c.text('project,version\nMoon,7\n') : c.text('Exports require a subscription.', 403)
  })
  shop.post('/convert', async (c) => {
    await paywall.debit(customer(c), 'standard', 5, { key: await field(c, 'job') })
    return c.redirect('/', 303)
  })
  shop.post('/cancel', async (c) => {
    await paywall.cancel({ ...customer(c), subscriptionId: await field(c, 'id'), reason: 'Cancelled in the shop' })
    return c.redirect('/', 303)
  })
  const on = { 'subscription.created': ({ data }: PaywallEvent) => news.push(`${data.user.email} joined`) }
  const handleWebhook = secret && webhooks({ secret, test, on })
  if (handleWebhook) shop.post('/webhooks', (c) => handleWebhook(c.req.raw))
  shop.onError((error, c) => {
    if (error instanceof PaywallError) return c.text(error.message, 400)
    throw error
  })
  return shop
}
