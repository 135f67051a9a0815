// An HTML page, usually for an error, for responses that browsers display where no page of a paywall can.
import type { InLanguages, Language } from './preferred-language.ts'
import { styleOnlyPolicy } from './style-source.ts'

/** The content: what happened, what it means for what the user sent, and what to do next. */
export interface ErrorPageContent {
  title: string
  text: string
  /** The next link. It may be foreign: `href` is escaped here, as a URL serialises it. */
  link?: { href: string; text: string }
}

/** The link to the front page of a paywall or host. */
export const FRONT_PAGE: InLanguages<string> = { en: 'Go to the front page', de: 'Zur Startseite' }

/** Whether a browser will display the response. */
export const acceptsHtml = (headers: Headers): boolean => headers.get('accept')?.includes('text/html') ?? false

const STYLE = `:root{color-scheme:light dark}body{margin:0 auto;padding:4rem 1.25rem;max-width:48rem;font:100%/1.55 system-ui,sans-serif;\
background:#f7f7f9;color:#17191f}h1{font-size:1.75rem;line-height:1.15;margin:0 0 1.25rem}:focus-visible{outline:3px solid;outline-offset:3px}\
@media(prefers-color-scheme:dark){body{background:#111317;color:#eef0f4}}`

/** The Content-Security-Policy of such a page. */
export const errorPagePolicy = (): Promise<string> => styleOnlyPolicy(STYLE)

/** The page. Its language is the browser's: the paywall and its locales are not known here. */
export const errorPage = (language: Language, { title, text, link }: ErrorPageContent): string => `<!doctype html>
<html lang="${language}">
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
