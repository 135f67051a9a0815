import { html, raw } from 'hono/html'
import { toMajorUnits } from '../../../lib/money.ts'
import { sessionAmount } from './objects/session.ts'
import type { SessionRecord, SoldPrice } from './records.ts'

const STYLE = raw(`
  body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #1a1f36; background: #f6f8fa }
  main { max-width: 26rem; margin: 0 auto; padding: 3rem 1.25rem }
  .card { background: #fff; border-radius: 12px; padding: 1.5rem; box-shadow: 0 1px 3px #0002 }
  h1 { font-size: 1rem; font-weight: 600; margin: 0 0 1rem }
  .test { float: right; font-size: .75rem; background: #ffde92; border-radius: 4px; padding: .1rem .4rem }
  .price { font-size: 2rem; font-weight: 600; margin: 0 } .label, .terms { margin: 0; color: #4f566b }
  label { display: block; margin: 1.5rem 0 .25rem; font-weight: 500 }
  input { width: 100%; box-sizing: border-box; font: inherit; padding: .6rem; border: 1px solid #8792a2; border-radius: 6px }
  button, .button { display: block; width: 100%; box-sizing: border-box; margin-top: .75rem; padding: .7rem; font: inherit; font-weight: 600;
    text-align: center; text-decoration: none; border: 1px solid #8792a2; border-radius: 6px; background: #fff; color: #1a1f36; cursor: pointer }
  .pay { margin-top: 1.5rem; background: #4f46e5; border-color: #4f46e5; color: #fff }
  .error { margin: 1.5rem 0 0; padding: .75rem; border-radius: 6px; background: #fde8ec; color: #a3122f }
  .quiet { font-weight: 400; border-color: transparent; color: #4f566b }
`)

/** The page where a person pays. `problem` says why the last try did not succeed. */
export async function checkoutPage(session: SessionRecord, problem?: string): Promise<string> {
  const { quantity, price } = session
  const known = session.email !== null
  return layout(
    session.seller,
    html`
      <p class="label">${quantity > 1 ? `${quantity} × ` : ''}${price.label}</p>
      <p class="price">${headline(session)}</p>
      <p class="terms">${terms(session)}</p>
      ${problem ? html`<p class="error" role="alert">${problem}</p>` : ''}
      <form method="post">
        <label for="email">Email</label>
        <input id="email" name="email" type="email" autocomplete="email" required value="${session.email ?? ''}"${known ? raw(' readonly') : ''}>
        <button class="pay" name="action" value="pay">Pay</button>
        <button name="action" value="decline" formnovalidate>Decline the card</button>
        <button class="quiet" name="action" value="cancel" formnovalidate>Cancel</button>
      </form>`,
  )
}

/** A page that says something, and where to go from here. */
export async function noticePage(title: string, text: string, next?: { href: string; label: string }): Promise<string> {
  const link = next ? html`<a class="button" href="${next.href}">${next.label}</a>` : ''
  return layout(title, html`<p class="terms">${text}</p>${link}`)
}

async function layout(title: string, content: ReturnType<typeof html>): Promise<string> {
  const page = await html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <div class="card">
        <h1><span class="test">Test mode</span>${title}</h1>
        ${content}
      </div>
    </main>
  </body>
</html>
`
  return page.toString()
}

/** What it costs, or how long it costs nothing. */
function headline({ price, quantity, trialDays }: SessionRecord): string {
  if (trialDays === null) return money(price.amount * quantity, price.currency)
  return trialDays === 1 ? '1 day free' : `${trialDays} days free`
}

function terms(session: SessionRecord): string {
  const { price, quantity, trialDays } = session
  if (!price.interval) return 'One-time payment'
  if (trialDays === null) return `${interval(price)}, until cancelled`
  const full = money(price.amount * quantity, price.currency)
  return `then ${full} ${interval(price)}. Due today: ${money(sessionAmount(session), price.currency)}`
}

const interval = ({ interval: unit, intervalCount: count }: SoldPrice) =>
  count === null || count === 1 ? `per ${unit}` : `every ${count} ${unit}s`

const money = (amount: number, currency: string) =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).format(toMajorUnits(amount, currency))
