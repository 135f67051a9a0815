/** The Content-Security-Policy source of an inline style or script: the hash of its text. */
export async function inlineSource(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}'`
}

/** The Content-Security-Policy of a page with one inline style that loads nothing. */
export async function styleOnlyPolicy(style: string): Promise<string> {
  return `default-src 'none'; style-src ${await inlineSource(style)}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
}
