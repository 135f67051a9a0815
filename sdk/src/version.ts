/** The SDK's version, sent with each call in `X-SDK-Version`. */
export const VERSION = '3.0.0'
