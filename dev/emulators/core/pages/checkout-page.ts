import { html, raw } from 'hono/html'
import { type Html, layout } from './layout.ts'

/** The contents of a checkout page. */
export interface CheckoutView {
  title: string
  heading: string
  label: string
  price: string
  terms: string
  /** The e-mail field, if the page has one; read-only if it has a value. */
  email?: { value: string | null }
  /** Other fields. */
  fields?: Html
  pay: string
  /** The labels of the other buttons by action; the last one is styled as secondary. */
  buttons: Record<string, string>
  hint: Html
}

/** The page on which a person pays. `problem`: why the last attempt failed. */
export async function checkoutPage(view: CheckoutView, problem?: string): Promise<string> {
  const { email, fields, buttons } = view
  const quiet = Object.keys(buttons).at(-1)
  return layout(
    problem && view.heading !== view.title ? `Not paid: ${view.heading}` : view.title,
    html`
      <p class="label">${view.label}</p>
      <p class="price">${view.price}</p>
      <p class="terms">${view.terms}</p>
      ${problem ? html`<p class="error" role="alert">${problem}</p>` : ''}
      <form method="post">
        ${email ? emailField(email.value) : ''}${fields ?? ''}
        <button class="pay" name="action" value="pay">${view.pay}</button>
        ${Object.entries(buttons).map(([action, label]) => button(action, label, action === quiet))}
        <p class="hint">This is an emulator: it needs no card and moves no money. ${view.hint}</p>
      </form>`,
    view.heading,
  )
}

const emailField = (known: string | null) => html`
        <label for="email">Email</label>
        <input id="email" name="email" type="email" autocomplete="email" required value="${known ?? ''}"${known === null ? '' : raw(' readonly')}>`

/** Only paying requires an e-mail address. */
const button = (action: string, label: string, isQuiet: boolean) =>
  html`<button${isQuiet ? raw(' class="quiet"') : ''} name="action" value="${action}"${action === 'later' ? '' : raw(' formnovalidate')}>${label}</button>`
