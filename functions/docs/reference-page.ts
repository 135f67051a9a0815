import { inlineSource } from '../../lib/http/style-source.ts'
import { DOCUMENT_PATH, REFERENCE_PATH, SCRIPT_PATH } from './contract.ts'
import { navigationBar } from './page.ts'

const BAR_HEIGHT_PX = 52

/**
 * The bar uses Redoc's colour variables, so it follows Redoc's light and dark switch. Colours of Redoc that fail WCAG's contrast on its own
 * backgrounds are replaced. The text " Redoc" replaces its logo, which the script does not load (`dev/tools/reference-script.ts`). Redoc's page
 * of an operation has no `h1`, so there is one for screen readers.
 */
const STYLE = `
body { margin: 0 }
.bar {
  position: sticky; top: 0; z-index: 10; box-sizing: border-box; height: ${BAR_HEIGHT_PX}px; padding: 0 1rem;
  display: flex; align-items: center; gap: 0.9rem; overflow-x: auto; white-space: nowrap;
  border-bottom: 1px solid var(--border-color-primary); background: var(--bg-color); font: 15px system-ui, sans-serif;
}
.bar a { color: var(--text-color-secondary); text-decoration: none }
.bar a:hover, .bar a[aria-current], .bar .name { color: var(--text-color-primary) }
.bar .name { margin-right: auto; font-weight: 650 }
.heading { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%) }
a[href="https://redocly.com/redoc/"] p::after { content: " Redoc" }
html.light {
  --input-content-placeholder-color: #63656f; --color-blue-6: #1a5fc8; --color-blue-7: #2558b8; --color-carrot-7: #9a5108; --color-green-7: #0e6e3a;
}
html.light .tag-get { --tag-color: #0f6b3a }
html.light .tag-post { --tag-color: #1550c8 }
.schema-name { color: var(--text-color-primary) !important }
html.dark { --input-content-placeholder-color: #9b9ca8; --code-block-tokens-keyword-color: #ff6db0 }
`

const OPTIONS = {
  disableTelemetry: true,
  scrollYOffset: BAR_HEIGHT_PX,
  // Redoc shows only samples of listed languages, matched by label.
  codeSamples: {
    languages: [
      { lang: 'Shell', label: 'curl' },
      { lang: 'TypeScript', label: 'SDK, server' },
      { lang: 'TypeScript', label: 'SDK, browser' },
      { lang: 'Payload' },
    ],
  },
}

const START = `
import { init } from '${SCRIPT_PATH}'
init('${DOCUMENT_PATH}', ${JSON.stringify(OPTIONS)})
`

/** The API reference, rendered by Redoc in the browser. */
export const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Paywall Billing API</title>
<style>${STYLE}</style>
</head>
<body>
${navigationBar(REFERENCE_PATH)}
<header><h1 class="heading">API reference</h1></header>
<redoc></redoc>
<script type="module">${START}</script>
</body>
</html>
`

/** Redoc inserts its styles into the page, which needs 'unsafe-inline'. Scripts and requests are limited to our own origin. */
export async function referencePolicy(): Promise<string> {
  return [
    "default-src 'none'",
    `script-src 'self' ${await inlineSource(START)}`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
