import { html } from 'hono/html'
import { type Html, layout } from '../core/layout.ts'
import { cycleText } from '../core/periods.ts'
import { money } from './currencies.ts'
import type { PortalContents } from './portal.ts'
import type { InvoiceRecord, PortalSessionRecord, SubscriptionRecord } from './records.ts'
import { hasEnded } from './subscriptions.ts'

/** A subscription's status in plain words. */
const STATUS = {
  incomplete: 'not paid yet',
  incomplete_expired: 'never paid',
  trialing: 'on trial',
  active: 'active',
  past_due: 'past due',
  unpaid: 'unpaid',
  canceled: 'ended',
}

/** The page where customers manage their subscriptions. `problem` says why the last button did nothing. */
export async function portalPage(
  session: PortalSessionRecord,
  { subscriptions, invoices }: PortalContents,
  problem?: string,
): Promise<string> {
  return layout(
    'Your subscriptions',
    html`
      ${problem ? html`<p class="error" role="alert">${problem}</p>` : ''}
      ${subscriptions.length === 0 ? html`<p class="terms">You have no subscription.</p>` : subscriptions.map(section)}
      <section>
        <h2>Invoices</h2>
        ${invoices.length === 0 ? html`<p class="terms">None yet.</p>` : table(invoices)}
      </section>
      ${session.returnUrl === null ? '' : html`<a class="button" href="${session.returnUrl}">Go back</a>`}`,
  )
}

function section(subscription: SubscriptionRecord): Html {
  const { id, price, quantity, status } = subscription
  const [when, at] = horizon(subscription)
  return html`
    <section aria-labelledby="${id}">
      <h2 id="${id}">${quantity > 1 ? `${quantity} × ` : ''}${price.label}</h2>
      <p class="terms">${money(price.amount * quantity, price.currency)} ${cycleText(price)}</p>
      <dl><dt>Status</dt><dd>${STATUS[status]}</dd><dt>${when}</dt><dd>${day(at)}</dd></dl>
      ${hasEnded(subscription) ? '' : button(subscription)}
    </section>`
}

function button({ id, cancelAt, periodEnd }: SubscriptionRecord): Html {
  const [action, label, hint] =
    cancelAt === null
      ? ['cancel', 'Cancel subscription', `If you cancel now, it is yours until ${day(periodEnd)}.`]
      : ['undo', 'Keep subscription', 'It is cancelled and will not renew.']
  return html`
    <form method="post">
      <input type="hidden" name="subscription" value="${id}">
      <p class="hint">${hint}</p>
      <button name="action" value="${action}" aria-describedby="${id}">${label}</button>
    </form>`
}

const table = (invoices: InvoiceRecord[]) => html`
  <table>
    <thead><tr><th scope="col">Date</th><th scope="col">Number</th><th scope="col">Status</th><th scope="col">Amount</th></tr></thead>
    <tbody>${invoices.map(row)}</tbody>
  </table>`

function row({ created, number, amount, price, status }: InvoiceRecord): Html {
  return html`<tr><td>${day(created)}</td><td>${number}</td><td>${status}</td><td>${money(amount, price.currency)}</td></tr>`
}

/** What happens to a subscription next, or that it has ended; in unix seconds when. */
function horizon(subscription: SubscriptionRecord): [what: string, at: number] {
  const { status, endedAt, cancelAt, periodEnd } = subscription
  if (hasEnded(subscription)) return ['Ended', endedAt ?? periodEnd]
  if (cancelAt !== null) return ['Ends', cancelAt]
  return [status === 'trialing' ? 'Trial ends' : 'Renews', periodEnd]
}

const day = (seconds: number) =>
  new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(seconds * 1000))
