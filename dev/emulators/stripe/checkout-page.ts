import { html, raw } from 'hono/html'
import { layout } from '../core/layout.ts'
import { cycleText } from '../core/periods.ts'
import { money } from './currencies.ts'
import { checkoutAmount } from './objects/checkout-session.ts'
import type { CheckoutSessionRecord } from './records.ts'

/** The page where a person pays. `problem` says why the last attempt failed. */
export async function checkoutPage(session: CheckoutSessionRecord, problem?: string): Promise<string> {
  const { quantity, price } = session
  const known = session.email !== null
  const amount = checkoutAmount(session)
  return layout(
    problem ? `Not paid: ${session.seller}` : `Pay ${session.seller}`,
    html`
      <p class="label">${quantity > 1 ? `${quantity} × ` : ''}${price.label}</p>
      <p class="price">${headline(session)}</p>
      <p class="terms">${terms(session)}</p>
      ${problem ? html`<p class="error" role="alert">${problem}</p>` : ''}
      <form method="post">
        <label for="email">Email</label>
        <input id="email" name="email" type="email" autocomplete="email" required value="${session.email ?? ''}"${known ? raw(' readonly') : ''}>
        <button class="pay" name="action" value="pay">Pay ${money(amount, price.currency)}</button>
        ${amount > 0 ? html`<button name="action" value="later">Pay by bank debit; the money arrives later</button>` : ''}
        <button name="action" value="decline" formnovalidate>Decline the card</button>
        <button class="quiet" name="action" value="cancel" formnovalidate>Cancel</button>
        <p class="hint">This is an emulator: it asks for no card and moves no money. Pay succeeds at once. Decline the card
          does what a bank does that refuses the payment. Cancel goes back to the seller and leaves this page open. A
          debit that is on its way arrives or fails with <code>POST /_emulator/resolve-payment</code>, a subscription's
          with <code>POST /_emulator/renew</code>.</p>
      </form>`,
    session.seller,
  )
}

/** The price, or the length of the trial. */
function headline({ price, quantity, trialDays }: CheckoutSessionRecord): string {
  if (trialDays === null) return money(price.amount * quantity, price.currency)
  return trialDays === 1 ? '1 day free' : `${trialDays} days free`
}

function terms(session: CheckoutSessionRecord): string {
  const { price, quantity, trialDays } = session
  if (!price.interval) return 'One-time payment'
  if (trialDays === null) return `${cycleText(price)}, until cancelled`
  const full = money(price.amount * quantity, price.currency)
  return `then ${full} ${cycleText(price)}, until cancelled. Due today: ${money(checkoutAmount(session), price.currency)}`
}
