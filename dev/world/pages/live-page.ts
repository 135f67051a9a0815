import { escapeHtml } from './escape-html.ts'

/** One thing that arrived. `facts` are shown under the title: a text is escaped, `{ html }` is put in as it is. */
export interface Entry {
  title: string
  at: Date
  facts: (string | { html: string })[]
  body: string
}

/** A plain page of what arrived, in the order given. It updates itself when something new has arrived. */
export function livePage({ title, none, entries }: { title: string; none: string; entries: Entry[] }): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${STYLE}</style>
<main>
<h1 role="status">${title}: ${entries.length}</h1>
${entries.map(article).join('\n') || `<p>${none}</p>`}
</main>
<script>${UPDATE}</script>
</html>
`
}

function article({ title, at, facts, body }: Entry): string {
  const seconds = `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
  const shown = facts.map((fact) => (typeof fact === 'string' ? escapeHtml(fact) : fact.html))
  return `<article>
<h2>${escapeHtml(title)}</h2>
<small>${[`<time datetime="${at.toISOString()}">${seconds}</time>`, ...shown].join(' · ')}</small>
<pre>${escapeHtml(body)}</pre>
</article>`
}

const STYLE = `
  :root { color-scheme: light dark; --line: light-dark(#e5e7eb, #374151) }
  body { font: 15px/1.5 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere;
    color: light-dark(#1f2937, #e5e7eb); background: light-dark(#fff, #111827) }
  h1 { font-size: 1.25rem }
  article { border-top: 1px solid var(--line); padding: 1rem 0 }
  h2 { font-size: 1rem; margin: 0 }
  small { color: light-dark(#6b7280, #9ca3af) }
  .bad { color: light-dark(#b91c1c, #fca5a5); font-weight: 600 }
  pre { background: light-dark(#f9fafb, #1f2937); padding: .75rem; font-size: 13px; margin: .5rem 0 0; white-space: pre-wrap }
`

/** A reload would scroll the reader back to the top, so only the list is replaced, and only if it has changed. */
const UPDATE = `
  setInterval(async () => {
    const page = await fetch('/').then((response) => response.text()).catch(() => '')
    const [now, next] = [document, new DOMParser().parseFromString(page, 'text/html')].map((each) => each.querySelector('main'))
    if (next && next.innerHTML !== now.innerHTML) now.innerHTML = next.innerHTML
  }, 2000)
`
