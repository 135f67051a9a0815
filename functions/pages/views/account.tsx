import type { PaymentList } from '../../../lib/access/payment-list.ts'
import { DEFINITIONS } from '../../../lib/processors/definitions.ts'
import { isRefused, type Refused } from '../call-api.ts'
import { ACCOUNT_PATH, PAYWALL_PATH } from '../contract.ts'
import { formatDate } from '../formats.ts'
import { messageFor } from '../problem.ts'
import { isOver } from '../sale.ts'
import type { SignInStep } from '../sign-in.ts'
import type { Site } from '../site.ts'
import type { User } from '../structure.ts'
import { sitePage } from './layout.tsx'
import { Notice } from './notice.tsx'
import { Payments } from './payments.tsx'
import { endsAtOnce, PurchaseCard } from './purchase.tsx'
import { SignIn } from './sign-in.tsx'

export interface Shown {
  /** The visitor's step of signing in. */
  step: SignInStep
  /** The id of the price that the visitor has to sign in to buy. */
  buy?: string | undefined
  /** What went wrong. */
  problem?: string | undefined
  /** The id of the purchase that has just been cancelled. */
  cancelled?: string | undefined
  /** Whether the visitor has just come from restoring. */
  isRestored?: boolean
}

/** `payments`: the visitor's latest payments, or why they cannot be shown; null if nobody is signed in. */
type WithPayments = Shown & { payments: PaymentList | Refused | null }

/** The visitor's purchases, balances and payments, or the sign-in form. */
export function accountPage(site: Site, shown: WithPayments) {
  const { texts, user } = site
  return sitePage(site, {
    title: texts.account,
    children: (
      <>
        <h1>{texts.account}</h1>
        {shown.problem && <Notice kind="problem" text={shown.problem} />}
        {user && <Belongings site={site} user={user} shown={shown} />}
        {!user?.email && (
          <>
            <p class="soft">{reasonToSignIn(site, shown)}</p>
            <SignIn
              site={site}
              step={shown.step}
              action={site.href(ACCOUNT_PATH, shown.buy ? { buy: shown.buy } : {})}
              asksToRestore
            />
          </>
        )}
        {user?.email && <SignedInAs site={site} email={user.email} />}
      </>
    ),
  })
}

function reasonToSignIn({ texts, user }: Site, { buy }: Shown): string {
  if (buy) return texts.signInToBuy
  return user && user.purchases.length > 0 ? texts.signInToKeepPurchase : texts.signInText
}

function Belongings({ site, user, shown }: { site: Site; user: User; shown: WithPayments }) {
  const { texts } = site
  const present = user.purchases.filter((purchase) => !isOver(purchase))
  const over = user.purchases.filter(isOver)
  const cancelled = user.purchases.find(({ id }) => id === shown.cancelled)
  const grantEnd = findGrantEnd(user)
  const nothing = shown.isRestored ? texts.nothingRestored : texts.nothingBought
  return (
    <>
      {cancelled && <Notice kind="good" text={endsAtOnce(cancelled) ? texts.hasEnded : texts.cancelled} />}
      {shown.isRestored && present.length > 0 && <Notice kind="good" text={texts.restored} />}
      {grantEnd && <Notice kind="good" text={texts.accessUntil(formatDate(grantEnd, site))} />}
      {user.purchases.length === 0 && (shown.isRestored || !grantEnd) && (
        <Notice kind="news" text={nothing} link={{ href: site.href(PAYWALL_PATH), text: texts.seePrices }} />
      )}
      {present.map((purchase) => (
        <PurchaseCard site={site} purchase={purchase} isCancelled={purchase.id === shown.cancelled} />
      ))}
      {hasPortal(user) && <PortalButton site={site} />}
      <Balances site={site} user={user} />
      {over.length > 0 && (
        <details>
          <summary>{texts.earlier}</summary>
          <div class="stack">
            {over.map((purchase) => (
              <PurchaseCard site={site} purchase={purchase} />
            ))}
          </div>
        </details>
      )}
      {user.purchases.length > 0 && shown.payments && <LatestPayments site={site} payments={shown.payments} />}
      {(user.purchases.length > 0 || grantEnd) && <p class="hint">{texts.utc}</p>}
    </>
  )
}

/** When the access ends, if no purchase gives it for longer than a grant does. */
const findGrantEnd = ({ grants: [latest], access_until: accessUntil }: User): string | undefined =>
  latest?.ends_at === accessUntil ? latest?.ends_at : undefined

/** Whether a purchase that gives access was made at a processor with a customer portal. */
const hasPortal = ({ paid, purchases }: User) =>
  paid && purchases.some((each) => !isOver(each) && DEFINITIONS[each.acquiring].capabilities.portal)

function PortalButton({ site }: { site: Site }) {
  return (
    <form method="post" action={site.href(ACCOUNT_PATH)}>
      <button type="submit" name="action" value="portal">
        {site.texts.portal}
      </button>
    </form>
  )
}

function Balances({ site, user }: { site: Site; user: User }) {
  if (user.balances.length === 0) return null
  return (
    <section class="card" aria-labelledby="tokens">
      <h2 id="tokens">{site.texts.tokens}</h2>
      <dl>
        {user.balances.map(({ type, count }) => (
          <div class="row">
            <dt>{site.text(type)}</dt>
            <dd>{new Intl.NumberFormat(site.tag).format(count)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function LatestPayments({ site, payments }: { site: Site; payments: PaymentList | Refused }) {
  return (
    <section class="card" aria-labelledby="payments">
      <h2 id="payments">{site.texts.payments}</h2>
      {isRefused(payments) ? (
        <Notice kind="problem" text={messageFor(payments, site.texts)} />
      ) : (
        <Payments site={site} list={payments} />
      )}
    </section>
  )
}

function SignedInAs({ site, email }: { site: Site; email: string }) {
  return (
    <form class="row" method="post" action={site.href(ACCOUNT_PATH)}>
      <span class="soft">{site.texts.signedInAs(email)}</span>
      <button type="submit" class="quiet" name="action" value="sign-out">
        {site.texts.signOut}
      </button>
    </form>
  )
}
