import { type ConsolePurchase, explainAccess, explainPurchase } from '../../../lib/access/explain-access.ts'
import type { Membership, TimelineEntry, UserDetails } from '../../../lib/access/user-details.ts'
import { formatAmount, toWords } from '../../../lib/text/formats.ts'
import type { Mode, Viewer } from '../session.ts'
import { consolePage } from './layout.tsx'
import { DeliveryStates, Table, Time } from './parts.tsx'
import { type Actor, ChangeTokens, EndAccess, EndPurchase, GiveAccess, Merge, Refund, SignOut } from './user-acts.tsx'

export const userPage = (details: UserDetails & { viewer: Viewer; mode: Mode }) => {
  const { user, memberships, viewer, mode } = details
  const actor = { viewer, mode, userId: user.id }
  return consolePage({
    title: user.email ?? user.external_id ?? 'Anonymous user',
    section: 'Users',
    mode,
    viewer,
    children: (
      <>
        <Names user={user} />
        {memberships.map((membership) => (
          <MembershipSection membership={membership} actor={actor} />
        ))}
        <Tickets tickets={details.tickets} mode={mode} />
        <Sessions sessions={details.sessions} actor={actor} />
        <Merge actor={actor} />
        <h2>Timeline</h2>
        <Table caption="Timeline" head={['When', 'What', 'Details']}>
          {details.timeline.map((entry) => (
            <tr>
              <td>
                <Time at={entry.at} />
              </td>
              <TimelineCells entry={entry} mode={mode} />
            </tr>
          ))}
        </Table>
      </>
    ),
  })
}

function Names({ user }: Pick<UserDetails, 'user'>) {
  return (
    <dl>
      <dt>Our id</dt>
      <dd>
        <code>{user.id}</code>
      </dd>
      <dt>Your id</dt>
      <dd>{user.external_id ?? '–'}</dd>
      <dt>Since</dt>
      <dd>
        <Time at={user.created_at} />
      </dd>
      {user.is_erased && (
        <>
          <dt>Erased</dt>
          <dd>Personal data was removed</dd>
        </>
      )}
      {user.merged_ids.length > 0 && (
        <>
          <dt>Merged users</dt>
          <dd>
            {user.merged_ids.map((id) => (
              <code>{id} </code>
            ))}
          </dd>
        </>
      )}
    </dl>
  )
}

function MembershipSection({
  membership: { paywall, name, purchases, grants, balances, prices, token_types, ...member },
  actor,
}: {
  membership: Membership
  actor: Actor
}) {
  const meta = { ...member.buyer_meta, ...member.meta }
  return (
    <section>
      <h2>
        {paywall.name} <span class="quiet">{paywall.id}</span>
      </h2>
      <p class="access">{explainAccess(purchases, grants)}</p>
      {name && <p>Name: {name}</p>}
      {purchases.map((purchase) => (
        <Purchase purchase={purchase} paywall={paywall.id} actor={actor} />
      ))}
      {grants.length > 0 && (
        <Table caption={`Access given at ${paywall.name}`} head={['Given', 'Price', 'Until', 'Why', 'Ended', 'Act']}>
          {grants.map((grant) => (
            <tr>
              <td>
                <Time at={grant.created_at} />
              </td>
              <td>{grant.price_slug ?? '–'}</td>
              <td>
                <Time at={grant.ends_at} />
              </td>
              <td>{grant.reason}</td>
              <td>
                {grant.ended_at ? <Time at={grant.ended_at} /> : '–'} {grant.end_reason}
              </td>
              <td>
                <EndAccess actor={actor} paywall={paywall.id} grant={grant} />
              </td>
            </tr>
          ))}
        </Table>
      )}
      {balances.length > 0 && (
        <Table caption={`Balances at ${paywall.name}`} head={['Tokens', 'Balance']}>
          {balances.map(({ type, count }) => (
            <tr>
              <td>{type}</td>
              <td class="number">{count}</td>
            </tr>
          ))}
        </Table>
      )}
      <GiveAccess actor={actor} paywall={paywall.id} prices={prices} />
      <ChangeTokens actor={actor} paywall={paywall.id} types={token_types} />
      {Object.keys(meta).length > 0 && (
        <details>
          <summary>Meta data</summary>
          <pre>{JSON.stringify(meta, null, 2)}</pre>
        </details>
      )}
    </section>
  )
}

function Purchase({ purchase, paywall, actor }: { purchase: ConsolePurchase; paywall: string; actor: Actor }) {
  return (
    <article class="card">
      <h3>
        {purchase.label}{' '}
        <span class={`state ${purchase.gives_access ? 'delivered' : ''}`}>{toWords(purchase.status)}</span>
      </h3>
      <p>{capitalised(explainPurchase(purchase))}</p>
      <p class="quiet">
        <code>{purchase.id}</code>, at {purchase.acquiring} <code>{purchase.processor_id}</code>, bought{' '}
        <Time at={purchase.created_at} />
        {purchase.cancellation_reason && `, cancelled because: ${purchase.cancellation_reason}`}
      </p>
      {purchase.payments.length > 0 && (
        <Table
          caption={`Payments of ${purchase.label}`}
          head={['When', 'Payment', 'Amount', "Processor's id", 'Receipt']}
        >
          {purchase.payments.map((fact) => (
            <tr>
              <td>
                <Time at={fact.occurred_at} />
              </td>
              <td>{toWords(fact.kind)}</td>
              <td class="number">{formatAmount(fact.amount, fact.currency)}</td>
              <td>
                <code>{fact.processor_payment}</code>
              </td>
              <td>
                {fact.receipt_url && (
                  <a href={fact.receipt_url} rel="noreferrer">
                    Receipt
                  </a>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
      <Refund actor={actor} paywall={paywall} purchase={purchase} />
      <EndPurchase actor={actor} paywall={paywall} purchase={purchase} />
    </article>
  )
}

const capitalised = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1)

function Tickets({ tickets, mode }: Pick<UserDetails, 'tickets'> & { mode: Mode }) {
  if (tickets.length === 0) return null
  return (
    <section>
      <h2>Tickets</h2>
      <ul>
        {tickets.map((ticket) => (
          <li>
            <a href={`/${mode}/tickets/${ticket.id}`}>
              #{ticket.id} {ticket.subject}
            </a>
            , {ticket.status}, <Time at={ticket.created_at} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Sessions({ sessions, actor }: Pick<UserDetails, 'sessions'> & { actor: Actor }) {
  if (sessions.length === 0) return null
  return (
    <section>
      <h2>Sessions</h2>
      <ul>
        {sessions.map((session) => (
          <li>
            On paywall {session.paywall_id} since <Time at={session.created_at} />
            {session.key && `, created by the key ${session.key}`}
          </li>
        ))}
      </ul>
      <SignOut actor={actor} />
    </section>
  )
}

function TimelineCells({ entry, mode }: { entry: TimelineEntry; mode: Mode }) {
  switch (entry.kind) {
    case 'event':
      return (
        <>
          <td>
            <a href={`/${mode}/events/${entry.id}`}>{entry.type}</a>
          </td>
          <td>
            <DeliveryStates deliveries={entry.deliveries} />
          </td>
        </>
      )
    case 'balance':
      return (
        <>
          <td>
            {entry.delta > 0 ? `+${entry.delta}` : entry.delta} {entry.type}: {toWords(entry.reason)}
          </td>
          <td>balance {entry.count_after}</td>
        </>
      )
    case 'checkout':
      return (
        <>
          <td>
            Checkout of {entry.price_slug} at {entry.acquiring}
          </td>
          <td>{entry.completed_at ? 'bought' : 'not bought'}</td>
        </>
      )
    case 'act':
      return (
        <>
          <td>
            {capitalised(toWords(entry.act))} by {entry.email}
          </td>
          <td>{entry.reason}</td>
        </>
      )
  }
}
