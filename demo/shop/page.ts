import { html } from 'hono/html'
import type { PlanPreview, Price, User } from 'paywall-billing-sdk'

type Shown = { email: string; user: User | null; prices: Price[]; change: PlanPreview | null; news: string[] }
const money = (amount: number, currency: string) => amount.toLocaleString('en', { style: 'currency', currency })
const cents = ({ amount, currency }: PlanPreview['due_now']) => money(amount / 100, currency)
const date = (time: string) => new Date(time).toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' })
const button = (action: string, fields: Record<string, string>, label: string) =>
  html`<form method="post" action="/${action}">${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}<button>${label}</button></form>`

/** The shop's only page. `email` is empty if nobody is signed in. `change`: what the plan that was clicked costs, in cents. */
export const page = ({ email, user, prices, change, news }: Shown) => html`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>The shop</title><link rel="icon" href="data:,">
<style>:root { color-scheme: light dark } body { max-width: 30rem; margin: 3rem auto; padding: 0 1rem; font: 1.1rem/1.6 system-ui } form { margin: 0.7rem 0 } button, input { font: inherit }</style>
<h1>The shop</h1>
<form method="post" action="/sign-in"><label>E-mail address <input name="email" type="email" required value="${email}"></label> <button>Sign in</button></form>
${email && prices.filter(({ access }) => !access || !user?.paid).map(({ slug, label, amount, currency }) => button('buy', { price: slug }, `${label}, ${money(amount, currency)}`))}
${change && button('change', { price: change.to.price_slug, quote: change.quote }, `Change now: ${cents(change.due_now)} today, then ${cents(change.next)} on ${date(change.next.at)}${change.estimate ? ' (an estimate)' : ''}`)}
${user?.paid && prices.filter((price) => price.interval && !user.purchases.some((each) => each.price_slug === price.slug)).map(({ slug, label }) => html`<p><a href="/?price=${slug}">Change to ${label}</a></p>`)}
${user?.balances.some(({ type }) => type === 'standard') && html`<p>You have ${user.balance('standard')} tokens.</p>${button('convert', { job: crypto.randomUUID() }, 'Convert a file: 5 tokens')}`}
${user?.can('export') && html`<p><a href="/export">Export your projects</a></p>`}
${user?.purchases.filter((each) => each.interval && !each.cancel_at_period_end).map(({ id }) => button('cancel', { id }, 'Cancel'))}
<ul>${news.map((line) => html`<li>${line}</li>`)}</ul>`
