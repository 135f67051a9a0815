/** The SDK's version, which it sends with each call in `X-SDK-Version`. */
export const VERSION = '3.0.0'
