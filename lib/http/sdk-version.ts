/** Maximum length, in characters. */
const LONGEST = 64

/** Names and versions, such as `@acme/sdk/3.1.0` or `Acme iOS 3.1 (44)`; no e-mail address, and no owner key. */
const NAME_AND_VERSION = /^(?!.*pk_(?:test|live)_)@?[\w.+(),:;/ -]+$/i

/**
 * The client in `X-SDK-Version`, for the request's log line. It is the caller's own text, and could be an e-mail address, a secret or
 * anything else: what does not look like a name and a version is dropped.
 */
export function loggedSdkVersion(header: string | null | undefined): string | undefined {
  return header && header.length <= LONGEST && NAME_AND_VERSION.test(header) ? header : undefined
}
