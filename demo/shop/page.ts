import { html } from 'hono/html'
import type { PlanPreview, Price, User } from 'paywall-billing-sdk'

type Shown = { email: string; user: User | null; prices: Price[]; change: PlanPreview | null; news: string[] }
const money = (amount: number, currency: string) => amount.toLocaleString('en', { style: 'currency', currency })
const button = (action: string, name: string, value: string, label: string) =>
  html`<form method="post" action="/${action}"><button name="${name}" value="${value}">${label}</button></form>`

/** The shop's only page. `email` is empty if nobody is signed in. `change`: what the plan that was clicked costs, in cents. */
export const page = ({ email, user, prices, change, news }: Shown) => html`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>The shop</title>
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<style>body { max-width: 30rem; margin: 3rem auto; padding: 0 1rem; font: 1.1rem/1.6 system-ui } form { margin: 0.7rem 0 } button, input { font: inherit }</style>
<h1>The shop</h1>
<form method="post" action="/sign-in"><label>E-mail address <input name="email" type="email" required value="${email}"></label> <button>Sign in</button></form>
${email && !user?.paid && prices.map(({ slug, label, amount, currency }) => button('buy', 'price', slug, `${label}, ${money(amount, currency)}`))}
${
  change &&
  html`<form method="post" action="/change"><input type="hidden" name="price" value="${change.to.price_slug}"><input type="hidden" name="quote" value="${change.quote}">
<button>Change now: ${money(change.due_now.amount / 100, change.due_now.currency)} today</button></form>`
}
${user?.paid && prices.filter((price) => price.interval && !user.purchases.some((each) => each.price_slug === price.slug)).map(({ slug, label }) => html`<p><a href="/?price=${slug}">Change to ${label}</a></p>`)}
${user?.balances.some(({ type }) => type === 'standard') && html`<p>You have ${user.balance('standard')} tokens.</p>${button('convert', 'job', crypto.randomUUID(), 'Convert a file: 5 tokens')}`}
${user?.can('export') && html`<p><a href="/export">Export your projects</a></p>`}
${user?.purchases.filter((each) => each.interval && !each.cancel_at_period_end).map(({ id }) => button('cancel', 'id', id, 'Cancel'))}
<ul>${news.map((line) => html`<li>${line}</li>`)}</ul>`
