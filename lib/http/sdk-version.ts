/** The longest that is written, in characters. */
const LONGEST = 64

/** Names and versions, such as `@acme/sdk/3.1.0` or `Acme iOS 3.1 (44)`; no address, and no owner key. */
const NAME_AND_VERSION = /^(?!.*pk_(?:test|live)_)@?[\w.+(),:;/ -]+$/i

/**
 * What `X-SDK-Version` says of the client, for the request's line in the log. It is the caller's own text, and could be an
 * e-mail address, a secret or a page of anything: what does not look like a name and a version is left out.
 */
export function loggedSdkVersion(header: string | null | undefined): string | undefined {
  return header && header.length <= LONGEST && NAME_AND_VERSION.test(header) ? header : undefined
}
