import { isDeepStrictEqual } from 'node:util'
import { sequenceFaults } from '../../support/owner-events.ts'
import type { TakenEvent } from '../owner-backend.ts'
import type { Law } from './case.ts'

type Told = NonNullable<TakenEvent['data']['subscription']>

/** The events about each user of a paywall come in order, without a gap. */
export const SEQUENCE: Law = {
  name: 'sequence',
  faults({ events }) {
    const users = Map.groupBy(events, ({ data }) => `${data.paywall_id} ${data.user.id}`)
    return [...users.values()].flatMap((own) =>
      sequenceFaults(
        own.toSorted((one, other) => one.data.sequence - other.data.sequence),
        { crashed: true },
      ),
    )
  },
}

/** Events name the mode of their paywall, and go to the webhook endpoints of that mode alone. */
export const OF_ITS_MODE: Law = {
  name: 'events of its mode',
  async faults({ company: { worlds }, events }) {
    const faults = worlds.map(async ({ database, file, paywall: { id, is_test: isTest } }) => {
      const { rows } = await database.query<{ url: string; type: string }>(
        `select distinct w.url, e.type from events e join deliveries d on d.event_id = e.id
         join webhook_endpoints w on w.id = d.endpoint_id where e.paywall_id = $1`,
        [id],
      )
      const due = file.webhooks.filter((webhook) => webhook.is_test === isTest).map(({ url }) => url)
      return [
        ...rows.filter(({ url }) => !due.includes(url)).map(({ url, type }) => `${type} of ${id} goes to ${url}`),
        ...events
          .filter(({ data, is_test: marked }) => data.paywall_id === id && marked !== isTest)
          .map(({ type }) => `${type} of ${id} does not have is_test ${isTest}`),
      ]
    })
    return (await Promise.all(faults)).flat()
  },
}

/** What the owner was told last of a subscription is what is shown. */
export const LAST: Law = {
  name: 'told last',
  faults: ({ members, events }) =>
    members
      .flatMap(({ purchases }) => purchases)
      .filter((purchase) => {
        const last = events.findLast(({ data }) => data.subscription?.id === purchase.id)
        return last && !isDeepStrictEqual(last.data.subscription, { ...purchase })
      })
      .map(({ id, status }) => `the owner was not told last that ${id} is ${status}`),
}

/** What must be true of a subscription, and of what it was, for an event of a type. */
const TYPES: Record<string, (is: Told, was: Told | undefined) => boolean> = {
  'subscription.ended': ({ status }, was) => status === 'canceled' && was?.status !== 'canceled',
  'subscription.past_due': ({ status }, was) => status === 'past_due' && was?.status !== 'past_due',
  'subscription.cancel_scheduled': (is, was) => is.cancel_at_period_end && was?.cancel_at_period_end === false,
  'subscription.uncanceled': (is, was) => !is.cancel_at_period_end && was?.cancel_at_period_end === true,
  'subscription.plan_changed': (is, was) => was !== undefined && !isSamePlan(is, was),
  'subscription.updated': (is, was) => was !== undefined && !isDeepStrictEqual(is, was),
}

const planOf = ({ price_id, price_slug, interval, unit_amount }: Told) => ({
  price_id,
  price_slug,
  interval,
  unit_amount,
})
const isSamePlan = (one: Told, other: Told) => isDeepStrictEqual(planOf(one), planOf(other))

/** An event is of the type that what changed has. */
export const OF_ITS_TYPE: Law = {
  name: 'event types',
  faults: ({ events, shown }) => [
    ...events
      .filter(({ type, data: { subscription, previous } }) =>
        subscription && TYPES[type] ? !TYPES[type](subscription, previous) : false,
      )
      .map(({ type, data }) => `${type}: ${JSON.stringify(data.previous)} became ${JSON.stringify(data.subscription)}`),
    ...shown.flatMap(({ id, interval, status }) => {
      const count = (type: string) =>
        events.filter((event) => event.type === type && event.data.subscription?.id === id).length
      const [created, ended] = [count('subscription.created'), count('subscription.ended')]
      const first = events.find(({ data }) => data.subscription?.id === id)?.data.subscription
      const isRunning = interval !== null && ['trialing', 'active', 'past_due', 'paused'].includes(status)
      return [
        ...(created > 1 || (isRunning && created === 0) ? [`${id} was created ${created} times`] : []),
        ...(isRunning && ended > 0 ? [`${id} is ${status}, and was told to have ended`] : []),
        ...(interval !== null && created > 0 && status === 'canceled' && ended === 0 && first?.status !== 'canceled'
          ? [`${id} has ended untold`]
          : []),
      ]
    }),
  ],
}

/** What an event says that a subscription was is what was told of it before. */
export const PREVIOUS: Law = {
  name: 'previous',
  faults({ events }) {
    const last = new Map<string, Told[]>()
    return events.flatMap(({ type, data: { subscription, previous, sequence } }) => {
      if (!subscription) return []
      const told = last.get(subscription.id) ?? []
      last.set(subscription.id, [...told, subscription])
      if (!previous || told.length === 0) return []
      // One change may be told by several events, each with what was before it.
      const isKnown = told.some((each) => isDeepStrictEqual(each, previous))
      return isKnown ? [] : [`${type} (${sequence}) follows ${JSON.stringify(previous)}, which was never told`]
    })
  },
}
