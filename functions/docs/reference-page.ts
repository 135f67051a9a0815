import { DOCUMENT_PATH, SCRIPT_PATH } from './contract.ts'

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

/** The reference of the API, which Scalar draws of the document in the browser. */
export const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Paywall Billing API</title>
<body>
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
