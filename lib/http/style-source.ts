/** How a Content-Security-Policy names an inline style: by the hash of its text. */
export async function styleSource(style: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style))
  return `'sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}'`
}
