import { escapeHtml } from './html.ts'
import type { Received } from './receiver.ts'

/** A plain page of what arrived, in the order given. */
export function receiverPage(received: Received[]): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="2">
<title>Webhooks received</title>
<style>
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #1f2937 }
  h1 { font-size: 1.25rem }
  article { border-top: 1px solid #e5e7eb; padding: 1rem 0 }
  h2 { font-size: 1rem; margin: 0 }
  small { color: #6b7280 }
  .bad { color: #b91c1c }
  pre { background: #f9fafb; padding: .75rem; overflow: auto; font-size: 13px; margin: .5rem 0 0 }
</style>
<h1>Webhooks received: ${received.length}</h1>
${received.map(article).join('\n') || '<p>None yet. Buy something.</p>'}
</html>
`
}

function article({ at, headers, body, verified }: Received): string {
  const seal = verified ? 'signature verified' : '<span class="bad">signature not verified</span>'
  return `<article>
<h2>${escapeHtml(typeOf(body))}</h2>
<small>${at.toISOString()} · ${escapeHtml(headers['webhook-id'] ?? 'no webhook-id')} · ${seal}</small>
<pre>${escapeHtml(indented(body))}</pre>
</article>`
}

function typeOf(body: string): string {
  const event = parsed(body)
  return event && typeof event === 'object' && 'type' in event ? String(event.type) : 'not an event'
}

function indented(body: string): string {
  return parsed(body) === undefined ? body : JSON.stringify(parsed(body), null, 2)
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
