const meanings = new Map<string, string>()

/**
 * Declares what the codes of schemas mean: what is wrong with the body or the query, and what is allowed. A meaning is the `message` of the
 * error, and part of the API's document. It is declared beside the schema, so that both use the same constants for limits.
 */
export function describeCodes(described: Record<string, string>): void {
  for (const [code, meaning] of Object.entries(described)) meanings.set(code, meaning)
}

export const codeMeaning = (code: string): string | undefined => meanings.get(code)

describeCodes({
  invalid_body: 'The body must be a JSON object',
  identity_required:
    'Identify the user by `email`, a user id or an external id, as text of valid length, and send `paywallId` if ' +
    'the body has that field',
})
