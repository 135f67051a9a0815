/** How a Content-Security-Policy names an inline style or script: by the hash of its text. */
export async function inlineSource(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}'`
}

/** The Content-Security-Policy of a page that has one style, its own, and loads nothing. */
export async function styleOnlyPolicy(style: string): Promise<string> {
  return `default-src 'none'; style-src ${await inlineSource(style)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}
