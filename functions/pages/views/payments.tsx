import type { ListedPayment, PaymentList } from '../../../lib/access/payment-list.ts'
import { toMajorUnits } from '../../../lib/money/money.ts'
import { DEFINITIONS } from '../../../lib/processors/definitions.ts'
import { ACCOUNT_PATH, PAYMENTS_PATH, RECEIPTS_PATH } from '../contract.ts'
import { formatDate, formatMoney } from '../formats.ts'
import type { Site } from '../site.ts'
import { sitePage } from './layout.tsx'

/** Payments before those that the account page shows. */
export function paymentsPage(site: Site, list: PaymentList) {
  const { texts } = site
  return sitePage(site, {
    title: texts.payments,
    children: (
      <>
        <h1>{texts.payments}</h1>
        <section class="card" aria-label={texts.payments}>
          <Payments site={site} list={list} />
        </section>
        <p>
          <a href={site.href(ACCOUNT_PATH)}>{texts.account}</a>
        </p>
        <p class="hint">{texts.utc}</p>
      </>
    ),
  })
}

/** Payments, latest first, and a link to earlier ones. */
export function Payments({ site, list: { payments, has_more: hasMore } }: { site: Site; list: PaymentList }) {
  const { texts } = site
  const last = payments.at(-1)
  if (!last) return <p class="soft">{texts.noPayments}</p>
  return (
    <>
      <ul class="payments">
        {payments.map((payment) => (
          <PaymentRow site={site} payment={payment} />
        ))}
      </ul>
      {hasMore && (
        <p>
          <a href={site.href(PAYMENTS_PATH, { before: last.id })}>{texts.earlierPayments}</a>
        </p>
      )}
    </>
  )
}

function PaymentRow({ site, payment }: { site: Site; payment: ListedPayment }) {
  const { texts } = site
  const { id, amount, tax, discount, currency, paid_at: paidAt, acquiring } = payment
  const money = (minor: number) => formatMoney(toMajorUnits(minor, currency), currency, site)
  const label = paymentLabel(site, payment)
  const day = formatDate(paidAt, site)
  return (
    <li class="row">
      <div>
        <strong>{label}</strong>
        <p class="hint">{day}</p>
        <Reversal site={site} payment={payment} money={money} />
      </div>
      <div class="payment-amount">
        <strong>{money(amount)}</strong>
        {discount !== null && discount > 0 && <p class="hint">{texts.takenOff(money(discount))}</p>}
        {tax !== null && tax > 0 && <p class="hint">{texts.includesTax(money(tax))}</p>}
        {DEFINITIONS[acquiring].capabilities.receipts !== 'none' && (
          <a href={site.href(`${RECEIPTS_PATH}/${id}`)} aria-label={`${texts.receipt}: ${label}, ${day}`}>
            {texts.receipt}
          </a>
        )}
      </div>
    </li>
  )
}

interface ReversalProps {
  site: Site
  payment: ListedPayment
  money(minor: number): string
}

/** What was refunded of a payment, and whether it is disputed. */
function Reversal({ site: { texts }, payment, money }: ReversalProps) {
  const { amount, refunded_amount: refunded, is_disputed: isDisputed } = payment
  return (
    <>
      {refunded > 0 && (
        <span class="status">{refunded < amount ? texts.partlyRefunded(money(refunded)) : texts.refundedInFull}</span>
      )}
      {isDisputed && <span class="status past_due">{texts.disputed}</span>}
    </>
  )
}

/** The label of the price today; the one that it had if it is no longer sold, or the paywall's name if no price is known. */
function paymentLabel({ structure, text }: Site, { price_slug: slug, label }: ListedPayment): string {
  return text(structure.prices.find((price) => price.slug === slug)?.label ?? label ?? structure.settings.name)
}
