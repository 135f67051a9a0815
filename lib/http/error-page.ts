// A page for people: where a browser shows what an endpoint answers, a refusal as a rule, and no page of a paywall can show it.
import { styleOnlyPolicy } from './style-source.ts'

/** What a person is told: what has happened, what became of what was sent, and what to do. */
export interface ErrorPageContent {
  title: string
  text: string
  /** Where to go on. It may be anybody's: `href` is escaped here, as a URL writes it. */
  link?: { href: string; text: string }
}

/** Whether a browser will show the answer to somebody. */
export const acceptsHtml = (headers: Headers): boolean => headers.get('accept')?.includes('text/html') ?? false

const STYLE = `:root{color-scheme:light dark}body{margin:0 auto;padding:4rem 1.25rem;max-width:33.5rem;font:100%/1.55 system-ui,sans-serif;\
background:#f7f7f9;color:#17191f}h1{font-size:1.75rem;line-height:1.15;margin:0 0 1.25rem}\
@media(prefers-color-scheme:dark){body{background:#111317;color:#eef0f4}}`

/** The Content-Security-Policy of such a page. */
export const errorPagePolicy = (): Promise<string> => styleOnlyPolicy(STYLE)

/** The page itself. It is in English: nothing is known of a paywall and its languages here. */
export const errorPage = ({ title, text, link }: ErrorPageContent): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<p>${text}</p>${link ? `\n<p><a href="${escapeAttribute(link.href)}" rel="noreferrer nofollow">${link.text}</a></p>` : ''}
</main>
</body>
</html>
`

const escapeAttribute = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
