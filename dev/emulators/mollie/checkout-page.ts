import { html } from 'hono/html'
import { layout } from '../core/layout.ts'
import { money } from './amounts.ts'
import type { PaymentRecord } from './records.ts'

/** The page where a person pays. `problem` says why the last button did nothing. */
export async function checkoutPage({ amount, description, sequenceType }: PaymentRecord, problem?: string) {
  const price = money(amount)
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
        <button name="action" value="later">Pay; the money arrives later</button>
        <button name="action" value="transfer">Pay by bank transfer</button>
        <button name="action" value="decline">Let the payment fail</button>
        <button class="quiet" name="action" value="cancel">Cancel</button>
        <p class="hint">This is an emulator: it asks for no card and moves no money. As at Mollie, a second attempt is a
          new payment. Money that is on its way, or is to be transferred, arrives with
          <code>POST /_emulator/resolve-payment</code>.</p>
      </form>`,
  )
}
