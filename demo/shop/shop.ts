// An owner's shop. Who its customers are is the shop's own affair: this one believes whoever types an address.
import { type Context, Hono } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { csrf } from 'hono/csrf'
import { Paywall, PaywallError, type PaywallOptions } from 'paywall-billing-sdk'
import { type PaywallEvent, webhooks } from 'paywall-billing-sdk/webhooks'
import { page } from './page.ts'

/** The shop, for any server that takes a Request. `secret`: its webhook endpoint's; `test`: whether the paywall is a test one. */
export function createShop({ secret, test, ...options }: PaywallOptions & { secret: string; test: boolean }): Hono {
  const paywall = new Paywall(options)
  const news: string[] = []
  const customer = (c: Context) => ({ email: getCookie(c, 'email') ?? '' })
  const sent = async (c: Context, name: string) => String((await c.req.parseBody())[name])
  const shop = new Hono().use(csrf())

  shop.get('/', async (c) => {
    const { email } = customer(c)
    const user = email ? await paywall.user({ email }) : null
    return c.html(page(email, user, (await paywall.bootstrap()).prices, news))
  })
  shop.post('/sign-in', async (c) => {
    setCookie(c, 'email', await sent(c, 'email'), { httpOnly: true, sameSite: 'Lax' })
    return c.redirect('/', 303)
  })
  shop.post('/buy', async (c) => {
    const home = new URL('/', c.req.url).href
    const order = { ...customer(c), price: await sent(c, 'price'), successUrl: home, errorUrl: home }
    return c.redirect((await paywall.checkout(order)).checkoutUrl, 303)
  })
  shop.get('/export', async (c) => {
    const user = await paywall.user(customer(c))
    return user?.can('export') ? c.text('project,version\nMoon,7\n') : c.text('Exports come with a plan.', 403)
  })
  shop.post('/convert', async (c) => {
    await paywall.debit(customer(c), 'standard', 5, { key: await sent(c, 'job') })
    return c.redirect('/', 303)
  })
  shop.post('/cancel', async (c) => {
    await paywall.cancel({ ...customer(c), subscriptionId: await sent(c, 'id'), reason: 'Cancelled in the shop' })
    return c.redirect('/', 303)
  })
  const on = { 'subscription.created': ({ data }: PaywallEvent) => news.push(`${data.user.email} joined`) }
  const hear = webhooks({ secret, test, on })
  shop.post('/webhooks', (c) => hear(c.req.raw))
  shop.onError((error, c) => {
    if (error instanceof PaywallError) return c.text(error.message, 400)
    throw error
  })
  return shop
}
