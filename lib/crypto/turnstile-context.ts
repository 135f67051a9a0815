/** AES-GCM additional data of a Turnstile secret key: binds the ciphertext to its paywall. */
export const turnstileContext = (paywallId: string) => `turnstile:${paywallId}`
