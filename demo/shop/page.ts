import { html } from 'hono/html'
import type { Price, User } from 'paywall-billing-sdk'

const money = ({ amount, currency }: Price) => amount.toLocaleString('en', { style: 'currency', currency })
const button = (action: string, name: string, value: string, label: string) =>
  html`<form method="post" action="/${action}"><button name="${name}" value="${value}">${label}</button></form>`

/** The shop's only page. `email` is empty if nobody is signed in. */
export const page = (email: string, user: User | null, prices: Price[], news: string[]) => html`<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>The shop</title>
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">
<style>body { max-width: 30rem; margin: 3rem auto; padding: 0 1rem; font: 1.1rem/1.6 system-ui } form { margin: 0.7rem 0 } button, input { font: inherit }</style>
<h1>The shop</h1>
<form method="post" action="/sign-in"><label>E-mail address <input name="email" type="email" required value="${email}"></label> <button>Sign in</button></form>
${email && !user?.paid && prices.map((price) => button('buy', 'price', price.slug, `${price.label}, ${money(price)}`))}
${user?.balances.some(({ type }) => type === 'standard') && html`<p>You have ${user.balance('standard')} tokens.</p>${button('convert', 'job', crypto.randomUUID(), 'Convert a file: 5 tokens')}`}
${user?.can('export') && html`<p><a href="/export">Export your projects</a></p>`}
${user?.purchases.filter((each) => each.interval && !each.cancel_at_period_end).map(({ id }) => button('cancel', 'id', id, 'Cancel'))}
<ul>${news.map((line) => html`<li>${line}</li>`)}</ul>`
