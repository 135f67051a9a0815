/** How a Content-Security-Policy names an inline style: by the hash of its text. */
export async function styleSource(style: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style))
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}'`
}

/** The Content-Security-Policy of a page that has one style, its own, and loads nothing. */
export async function styleOnlyPolicy(style: string): Promise<string> {
  return `default-src 'none'; style-src ${await styleSource(style)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}
