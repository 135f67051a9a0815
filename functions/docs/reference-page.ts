import { DOCUMENT_PATH, REFERENCE_PATH, SCRIPT_PATH } from './contract.ts'
import { bar } from './page.ts'

/**
 * What Scalar is asked to leave out: whatever would make a request to another host, which are its assistant, its tools for
 * developers, its fonts and its telemetry; and what invites to use its maker's services.
 */
const SETTINGS = {
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  hiddenClients: true,
  documentDownloadType: 'none',
}

/**
 * The bar has the height that Scalar leaves for it, and Scalar's colours, which its button for light and dark changes. Some of
 * those are too pale to read on its backgrounds: they are made darker in light mode, and lighter in dark mode.
 */
const STYLE = `
:root { --scalar-custom-header-height: 52px }
body { margin: 0 }
.bar {
  position: sticky; top: 0; z-index: 10; box-sizing: border-box; height: 52px; padding: 0 1rem;
  display: flex; align-items: center; gap: 0.9rem; overflow-x: auto; white-space: nowrap;
  border-bottom: 1px solid var(--scalar-border-color); background: var(--scalar-background-1); font: 15px system-ui, sans-serif;
}
.bar a { color: var(--scalar-color-2); text-decoration: none }
.bar a:hover, .bar a[aria-current], .bar .name { color: var(--scalar-color-1) }
.bar .name { margin-right: auto; font-weight: 650 }
.light-mode {
  --scalar-color-2: #4d565f; --scalar-color-3: #5c656f;
  --scalar-color-blue: #0064a8; --scalar-color-green: #00704a; --scalar-color-orange: #b03a00;
}
.dark-mode { --scalar-color-3: #a3acb6 }
`

/** The reference of the API, which Scalar draws of the document in the browser. */
export const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Paywall Billing API</title>
<style>${STYLE}</style>
</head>
<body>
${bar(REFERENCE_PATH)}
<script id="api-reference" data-url="${DOCUMENT_PATH}" data-configuration='${JSON.stringify(SETTINGS)}'></script>
<script src="${SCRIPT_PATH}"></script>
</body>
</html>
`

/**
 * Scalar writes its styles into the page, which takes 'unsafe-inline'. Scripts come from our own host alone, and requests go
 * there alone.
 */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
