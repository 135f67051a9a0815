import { html, raw } from 'hono/html'
import { shift } from '../../../../lib/money/money.ts'

/** A fragment of a page. Interpolated values are escaped. */
export type Html = ReturnType<typeof html>

const STYLE = raw(`
  :root { color-scheme: light dark; --text: light-dark(#1a1f36, #e5e7eb); --quiet: light-dark(#4f566b, #a3acb9);
    --edge: light-dark(#8792a2, #6b7280); --line: light-dark(#e3e8ee, #374151); --card: light-dark(#fff, #1f2937) }
  body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: light-dark(#f6f8fa, #111827) }
  main { max-width: 26rem; margin: 0 auto; padding: 3rem 1.25rem; overflow-wrap: anywhere }
  .card { background: var(--card); border-radius: 12px; padding: 1.5rem; box-shadow: 0 1px 3px #0002 }
  h1 { font-size: 1rem; font-weight: 600; margin: 0 0 1rem }
  .test { float: right; margin: 0 0 0 .5rem; font-size: .75rem; font-weight: 600; background: #ffde92; color: #1a1f36;
    border-radius: 4px; padding: .1rem .4rem }
  .price { font-size: 2rem; font-weight: 600; margin: 0 } .label, .terms { margin: 0; color: var(--quiet) }
  .hint { margin: 1rem 0 0; font-size: .875rem; color: var(--quiet) }
  label { display: block; margin: 1.5rem 0 .25rem; font-weight: 500 }
  input { width: 100%; box-sizing: border-box; font: inherit; padding: .6rem; border: 1px solid var(--edge); border-radius: 6px }
  input[type=checkbox] { width: auto }
  input[readonly] { background: none; border-style: dashed; color: var(--quiet) }
  button, .button { display: block; width: 100%; box-sizing: border-box; margin-top: .75rem; padding: .7rem; font: inherit; font-weight: 600;
    text-align: center; text-decoration: none; border: 1px solid var(--edge); border-radius: 6px; background: none; color: inherit; cursor: pointer }
  .pay { margin-top: 1.5rem; background: #4f46e5; border-color: #4f46e5; color: #fff }
  .error { margin: 1.5rem 0 0; padding: .75rem; border-radius: 6px; background: light-dark(#fde8ec, #4c0519); color: light-dark(#a3122f, #fecdd3) }
  section + section { border-top: 1px solid var(--line); margin-top: 1.25rem; padding-top: 1.25rem } h2 { font-size: 1rem; margin: 0 }
  dl { display: grid; grid-template-columns: auto 1fr; gap: .1rem 1rem; margin: .5rem 0 0 } dt { color: var(--quiet) } dd { margin: 0; text-align: right }
  table { width: 100%; border-collapse: collapse; margin-top: .5rem; font-size: .875rem } th { text-align: left; font-weight: 400; color: var(--quiet) }
  th, td { padding: .15rem .5rem .15rem 0; overflow-wrap: normal } :is(th, td):last-child { text-align: right; padding-right: 0 }
  .quiet { font-weight: 400; border-color: transparent; color: var(--quiet) }
`)

/** A short text with an optional link to continue. */
export interface Notice {
  title: string
  text: string
  next?: { href: string; label: string } | undefined
}

export async function noticePage({ title, text, next }: Notice): Promise<string> {
  const link = next ? html`<a class="button" href="${next.href}">${next.label}</a>` : ''
  return layout(title, html`<p class="terms">${text}</p>${link}`)
}

/** A page with one card. */
export async function layout(title: string, content: Html, heading = title): Promise<string> {
  const page = await html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <style>${STYLE}</style>
  </head>
  <body>
    <main>
      <div class="card">
        <p class="test">Test mode</p>
        <h1>${heading}</h1>
        ${content}
      </div>
    </main>
  </body>
</html>
`
  return page.toString()
}

/** Formats an amount: 999 with two decimals is `$9.99`. */
export const formatMoney = (amount: number, currency: string, decimals: number) =>
  new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  }).format(shift(amount, -decimals))
