import { html } from 'hono/html'
import type { HomeContext, ShownPaywall } from '../context.ts'
import { time } from '../format.ts'

/** The buttons that move a paywall's clock, by the form's value. */
export const STEPS = { day: '+1 day', month: '+1 month', renewal: 'To the next renewal' } as const

export async function clockSection({ world }: HomeContext, { paywall }: ShownPaywall) {
  const now = await world.clock.now(paywall.id)
  return html`<section id="clock" aria-labelledby="clock-heading">
    <h2 id="clock-heading">Clock</h2>
    <p>The clock of ${paywall.name} shows <b>${time(now)}</b> UTC. ${
      paywall.is_test
        ? 'Moving it runs everything that falls due on the way, each at its own time.'
        : 'The clock of a live paywall cannot be moved.'
    }</p>
    ${paywall.is_test ? buttons(paywall.id) : ''}
  </section>`
}

const buttons = (id: string) => html`<form method="post" action="/move" class="buttons" data-stay>
      <input type="hidden" name="paywall" value="${id}">
      ${Object.entries(STEPS).map(([to, label]) => html`<button name="to" value="${to}">${label}</button>`)}
    </form>`
