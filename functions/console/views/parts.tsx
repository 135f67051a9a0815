// What several pages of the console show.
import type { Child } from 'hono/jsx'
import { deliveryStates } from '../../../lib/events/listed-event.ts'
import { formatTime } from '../../../lib/text/formats.ts'
import { MAX_REASON } from '../form.ts'
import type { Mode } from '../session.ts'

/** A time in UTC, to the minute. */
export function Time({ at }: { at: string }) {
  return (
    <time datetime={at} title={at}>
      {formatTime(at)}
    </time>
  )
}

export function UserLink({ user, mode }: { user: UserName | null; mode: Mode }) {
  if (!user) return <>no user</>
  return <a href={`/${mode}/users/${user.id}`}>{user.email ?? user.external_id ?? user.id}</a>
}

export interface UserName {
  id: string
  email: string | null
  external_id: string | null
}

/** A table that a narrow screen scrolls. */
export function Table({ caption, head, children }: { caption: string; head: string[]; children: Child }) {
  return (
    <section class="table" aria-label={caption} tabindex={0}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th scope="col">{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}

/** An act behind a fold: its form, with the reason that the audit log keeps. */
export function ActForm({ action, label, fields, children }: ActFormProps) {
  return (
    <details>
      <summary>{label} …</summary>
      <form method="post" action={action}>
        {Object.entries(fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {children}
        <label>
          Reason <input name="reason" required maxlength={MAX_REASON} autocomplete="off" />
        </label>
        <button type="submit">{label}</button>
      </form>
    </details>
  )
}

interface ActFormProps {
  action: string
  label: string
  /** Hidden fields. */
  fields: Record<string, string>
  children?: Child
}

/** The link to the next page of a list; nothing at its end. */
export function Older({ query, before }: { query?: Record<string, string>; before: string | null | undefined }) {
  if (!before) return null
  return (
    <p>
      <a href={`?${new URLSearchParams({ ...query, before })}`}>Older</a>
    </p>
  )
}

/** The deliveries of an event: how many have which state. */
export function DeliveryStates({ deliveries }: { deliveries: { state: string }[] }) {
  if (deliveries.length === 0) return <span class="quiet">no endpoint</span>
  return (
    <>
      {deliveryStates(deliveries).map(({ state, text }) => (
        <span class={`state ${state}`}>{text}</span>
      ))}
    </>
  )
}
