import { html } from 'hono/html'
import { layout, money } from '../core/layout.ts'
import { minorUnits } from './amounts.ts'
import type { PaymentRecord } from './records.ts'

/** The page where a person pays. `problem` says why the last try did nothing. */
export async function checkoutPage({ amount, description, sequenceType }: PaymentRecord, problem?: string) {
  const price = money(minorUnits(amount), amount.currency)
  const terms = sequenceType === 'first' ? 'You allow the seller to charge you again later' : 'One-time payment'
  return layout(
    'Your payment',
    html`
      <p class="label">${description}</p>
      <p class="price">${price}</p>
      <p class="terms">${terms}</p>
      ${problem ? html`<p class="error" role="alert">${problem}</p>` : ''}
      <form method="post">
        <button class="pay" name="action" value="pay">Pay ${price}</button>
        <button name="action" value="later">Pay, and let the money take its time</button>
        <button name="action" value="transfer">Transfer it from my bank myself</button>
        <button name="action" value="decline">Let the payment fail</button>
        <button class="quiet" name="action" value="cancel">Cancel</button>
        <p class="hint">Nothing is asked for and no money moves. To try again is a new payment, as at Mollie. What
          became of money that takes its time, or is transferred, <code>/_emulator/settle</code> says.</p>
      </form>`,
  )
}
