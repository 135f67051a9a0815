import { html } from 'hono/html'
import { invoiceNumber } from '../domain/invoices.ts'
import type { InvoiceRecord } from '../domain/money-records.ts'
import type { PortalSessionRecord, SoldPrice, SubscriptionRecord } from '../domain/selling-records.ts'
import { hasEnded } from '../domain/subscriptions.ts'
import { cycleText } from '../periods.ts'
import { type Html, layout } from './layout.ts'

/** The contents of a customer's portal, newest first. */
export interface PortalContents {
  subscriptions: SubscriptionRecord[]
  invoices: InvoiceRecord[]
  /** The prices that a subscription can change to. */
  offers(subscription: SubscriptionRecord): SoldPrice[]
}

interface Options {
  money(amount: number, currency: string): string
  /** Defined if a cancellation can be undone. */
  undo?: unknown
  /** Defined if the price can be changed at the end of the period. */
  schedule?: unknown
}

/** Readable names of statuses. */
const STATUS: Partial<Record<SubscriptionRecord['status'], string>> = {
  incomplete: 'not paid yet',
  incomplete_expired: 'never paid',
  trialing: 'on trial',
  past_due: 'past due',
  canceled: 'ended',
}

/** The page on which customers manage their subscriptions. `problem`: why the last action failed. */
export async function portalPage(
  { returnUrl }: PortalSessionRecord,
  { subscriptions, invoices, offers }: PortalContents,
  options: Options,
  problem?: string,
): Promise<string> {
  const sections = subscriptions.map((subscription) => section(subscription, offers(subscription), options))
  return layout(
    'Your subscriptions',
    html`
      ${problem ? html`<p class="error" role="alert">${problem}</p>` : ''}
      ${subscriptions.length === 0 ? html`<p class="terms">You have no subscriptions.</p>` : sections}
      <section>
        <h2>Invoices</h2>
        ${invoices.length === 0 ? html`<p class="terms">No invoices yet.</p>` : table(invoices, options)}
      </section>
      ${returnUrl === null ? '' : html`<a class="button" href="${returnUrl}">Go back</a>`}`,
  )
}

function section(subscription: SubscriptionRecord, offers: SoldPrice[], options: Options): Html {
  const { money, undo } = options
  const { id, price, quantity, status, cancelAt } = subscription
  const [when, at] = horizon(subscription)
  return html`
    <section aria-labelledby="${id}">
      <h2 id="${id}">${quantity > 1 ? `${quantity} × ` : ''}${price.label}</h2>
      <p class="terms">${money(price.amount * quantity, price.currency)} ${cycleText(price)}</p>
      <dl><dt>Status</dt><dd>${STATUS[status] ?? status}</dd><dt>${when}</dt><dd>${day(at)}</dd></dl>
      ${hasEnded(subscription) || (cancelAt !== null && !undo) ? '' : button(subscription)}
      ${hasEnded(subscription) || subscription.hasCard ? '' : cardButton(id)}
      ${CHANGEABLE.includes(status) && cancelAt === null ? offers.map((price) => offer(id, price, options)) : ''}
    </section>`
}

const CHANGEABLE: SubscriptionRecord['status'][] = ['active', 'trialing']

const offer = (id: string, price: SoldPrice, { money, schedule }: Options) => html`
    <form method="post">
      <input type="hidden" name="subscription" value="${id}">
      <input type="hidden" name="price" value="${price.id}">
      <button class="quiet" name="action" value="change">Change to ${price.label}, ${money(price.amount, price.currency)} ${cycleText(price)}</button>
      ${schedule ? html`<button class="quiet" name="action" value="schedule">Change to ${price.label} when the period ends</button>` : ''}
    </form>`

function button({ id, cancelAt, periodEnd }: SubscriptionRecord): Html {
  const [action, label, hint] =
    cancelAt === null
      ? ['cancel', 'Cancel subscription', `If you cancel now, you keep access until ${day(periodEnd)}.`]
      : ['undo', 'Keep subscription', 'It is cancelled and will not renew.']
  return html`
    <form method="post">
      <input type="hidden" name="subscription" value="${id}">
      <p class="hint">${hint}</p>
      <button name="action" value="${action}" aria-describedby="${id}">${label}</button>
    </form>`
}

const cardButton = (id: string) => html`
    <form method="post">
      <input type="hidden" name="subscription" value="${id}">
      <p class="hint">It has no payment method, so it ends with its trial.</p>
      <button name="action" value="addCard" aria-describedby="${id}">Add a card</button>
    </form>`

const table = (invoices: InvoiceRecord[], { money }: Options) => html`
  <table>
    <thead><tr><th scope="col">Date</th><th scope="col">Number</th><th scope="col">Status</th><th scope="col">Amount</th></tr></thead>
    <tbody>${invoices.map(
      (invoice) =>
        html`<tr><td>${day(invoice.created)}</td><td>${invoiceNumber(invoice)}</td><td>${invoice.status}</td><td>${money(invoice.amount, invoice.price.currency)}</td></tr>`,
    )}</tbody>
  </table>`

/** What happens to a subscription next, or that it has ended, and when, in unix seconds. */
function horizon(subscription: SubscriptionRecord): [what: string, at: number] {
  const { status, endedAt, cancelAt, periodEnd } = subscription
  if (hasEnded(subscription)) return ['Ended', endedAt ?? periodEnd]
  if (cancelAt !== null) return ['Ends', cancelAt]
  return [status === 'trialing' ? 'Trial ends' : 'Renews', periodEnd]
}

const day = (seconds: number) =>
  new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(seconds * 1000))
