import { html } from 'hono/html'
import type { HomeParts, Shown } from '../parts.ts'
import { time } from '../words.ts'

/** How far a button moves a paywall's clock, by what is sent. */
export const STEPS = { day: '+1 day', month: '+1 month', renewal: 'To the next renewal' } as const

/** The paywall's clock, and the buttons that move it. */
export async function clockSection({ world }: HomeParts, { paywall }: Shown) {
  const now = await world.clock.now(paywall.id)
  return html`<section id="clock" aria-labelledby="clock-heading">
    <h2 id="clock-heading">Clock</h2>
    <p>At ${paywall.name} it is <b>${time(now)}</b> UTC. ${
      paywall.is_test
        ? 'What falls due while the clock is moved happens, each at its time.'
        : 'A live paywall goes by the real time.'
    }</p>
    ${paywall.is_test ? buttons(paywall.id) : ''}
  </section>`
}

const buttons = (id: string) => html`<form method="post" action="/move" class="buttons" data-stay>
      <input type="hidden" name="paywall" value="${id}">
      ${Object.entries(STEPS).map(([to, label]) => html`<button name="to" value="${to}">${label}</button>`)}
    </form>`
