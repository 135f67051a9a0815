import { escapeHtml } from './html.ts'
import type { Mail } from './mail.ts'

/** A plain page of the mails, in the order given. */
export function mailPage(mails: Mail[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="2">
<title>Mail inbox</title>
<style>
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #1f2937 }
  h1 { font-size: 1.25rem }
  article { border-top: 1px solid #e5e7eb; padding: 1rem 0 }
  h2 { font-size: 1rem; margin: 0 }
  small { color: #6b7280 }
  pre { background: #f9fafb; padding: .75rem; overflow: auto; font-size: 13px; margin: .5rem 0 0; white-space: pre-wrap }
</style>
<h1>Mails: ${mails.length}</h1>
${mails.map(article).join('\n') || '<p>None yet. Ask for a sign-in code.</p>'}
</html>
`
}

function article({ at, from, to, subject, text }: Mail): string {
  return `<article>
<h2>${escapeHtml(subject)}</h2>
<small>${at.toISOString()} · from ${escapeHtml(`${from.name} <${from.email}>`)} · to ${escapeHtml(to)}</small>
<pre>${escapeHtml(text)}</pre>
</article>`
}
