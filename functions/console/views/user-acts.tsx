// What the page of a user offers to do, to those whose role permits it.
import type { Child } from 'hono/jsx'
import type { ConsoleGrant, ConsolePurchase } from '../../../lib/access/explain-access.ts'
import { formatAmount, formatDate } from '../../../lib/text/formats.ts'
import type { Mode, Viewer } from '../session.ts'
import { ActForm } from './parts.tsx'

/** The page on which something is done, and by whom. */
export interface Actor {
  viewer: Viewer
  mode: Mode
  userId: string
}

interface UserActProps {
  actor: Actor
  act: string
  label: string
  fields?: Record<string, string>
  children?: Child
}

/** The form of an act; nothing if the viewer's role does not permit it. */
function UserAct({ actor: { viewer, mode, userId }, act, label, fields, children }: UserActProps) {
  if (!viewer.permissions.includes(act)) return null
  return (
    <ActForm action={`/${mode}/users/${userId}`} label={label} fields={{ act, ...fields }}>
      {children}
    </ActForm>
  )
}

/** The key that makes a form count once, however often it is sent. */
const once = () => ({ key: crypto.randomUUID() })

export const SignOut = ({ actor }: { actor: Actor }) => (
  <UserAct actor={actor} act="sign_out_user" label="Sign out everywhere" />
)

export const Merge = ({ actor }: { actor: Actor }) => (
  <UserAct actor={actor} act="merge_users" label="Merge into another user">
    <label>
      E-mail address or id of the other user <input name="into" required autocomplete="off" />
    </label>
    <p class="hint">The other user gets everything that this one has. This one is then gone, which cannot be undone.</p>
  </UserAct>
)

export const GiveAccess = ({ actor, paywall, prices }: { actor: Actor; paywall: string; prices: string[] }) => (
  <UserAct actor={actor} act="give_access" label="Give access" fields={{ paywall, ...once() }}>
    <label>
      Days <input name="days" type="number" min="1" required />
    </label>
    <label>
      With the features of{' '}
      <select name="price">
        <option value="">no price</option>
        {prices.map((slug) => (
          <option>{slug}</option>
        ))}
      </select>
    </label>
  </UserAct>
)

export const EndAccess = ({ actor, paywall, grant }: { actor: Actor; paywall: string; grant: ConsoleGrant }) =>
  grant.gives_access ? (
    <UserAct actor={actor} act="end_access" label="Take back" fields={{ paywall, grant: grant.id }} />
  ) : null

export const ChangeTokens = ({ actor, paywall, types }: { actor: Actor; paywall: string; types: string[] }) =>
  types.length > 0 ? (
    <UserAct actor={actor} act="change_tokens" label="Give or take tokens" fields={{ paywall, ...once() }}>
      <label>
        Do{' '}
        <select name="op">
          <option value="give">give</option>
          <option value="take">take</option>
        </select>
      </label>
      <label>
        Amount <input name="amount" type="number" min="1" required />
      </label>
      <label>
        Tokens{' '}
        <select name="type">
          {types.map((type) => (
            <option>{type}</option>
          ))}
        </select>
      </label>
    </UserAct>
  ) : null

interface OfPurchase {
  actor: Actor
  paywall: string
  purchase: ConsolePurchase
}

export function Refund({ actor, paywall, purchase }: OfPurchase) {
  const { id, currency, payments } = purchase
  const paid = payments.filter(({ kind }) => kind === 'succeeded')
  if (paid.length === 0) return null
  return (
    <UserAct actor={actor} act="refund" label="Refund" fields={{ paywall, purchase: id, currency, ...once() }}>
      <label>
        Payment{' '}
        <select name="payment">
          {paid.map((payment) => (
            <option value={payment.id}>
              {formatAmount(payment.amount, payment.currency)}, {formatDate(payment.occurred_at)}
            </option>
          ))}
        </select>
      </label>
      <label>
        Amount in {currency} <input name="amount" inputmode="decimal" autocomplete="off" />
      </label>
      <p class="hint">Empty: all that is left of the payment.</p>
    </UserAct>
  )
}

export function EndPurchase({ actor, paywall, purchase }: OfPurchase) {
  const { id, status, interval, cancel_at_period_end: isEnding } = purchase
  if (['canceled', 'refunded'].includes(status)) return null
  const fields = { paywall, purchase: id }
  return (
    <>
      {interval && !isEnding && (
        <UserAct actor={actor} act="cancel_subscription" label="Cancel at the end of the period" fields={fields}>
          <p class="hint">The reason is passed on to the processor.</p>
        </UserAct>
      )}
      <UserAct actor={actor} act="end_purchase" label="End now" fields={fields}>
        <p class="hint">Access ends at once, and nothing more is charged. Nothing is refunded.</p>
      </UserAct>
    </>
  )
}
