import { styleOnlyPolicy } from '../../lib/http/style-source.ts'
import { DOCUMENT_PATH, FRONT_PATH, GUIDE_PATH, REFERENCE_PATH } from './contract.ts'
import style from './style.css'

const LINKS = [
  { path: GUIDE_PATH, label: 'Guide' },
  { path: REFERENCE_PATH, label: 'Reference' },
  { path: DOCUMENT_PATH, label: 'openapi.json' },
]

/** The navigation bar of the page at `path`. `docsOrigin`: empty on that origin itself; null if the docs are not served. */
export const navigationBar = (
  path: string,
  docsOrigin: string | null = '',
): string => `<nav class="bar" aria-label="Documentation">
<a class="name" href="${FRONT_PATH}">Paywall Billing</a>
${(docsOrigin === null ? [] : LINKS).map((place) => `<a href="${docsOrigin}${place.path}"${place.path === path ? ' aria-current="page"' : ''}>${place.label}</a>`).join('\n')}
</nav>`

interface Page {
  title: string
  path: string
  /** HTML, with an element `#text` as the target of the skip link. */
  content: string
  /** See `navigationBar`. */
  docsOrigin?: string | null
}

export const page = ({ title, path, content, docsOrigin }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
${navigationBar(path, docsOrigin)}
${content}
</body>
</html>
`

/** The Content-Security-Policy for `page`. */
export const pagePolicy = (): Promise<string> => styleOnlyPolicy(style)
