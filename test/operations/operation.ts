/**
 * What an operation answers to each kind of caller: the status and, if it refuses, the error. The request is valid, its user has a
 * purchase, and the purchase, checkout, session or code that it names does not exist.
 */
export interface Replies {
  nobody: string
  /** An owner key that is unknown, malformed or revoked, or of the other mode. */
  badKey: string
  /** A key of another owner. */
  foreignKey: string
  ownerKey: string
  user: string
  /** A user who has no e-mail address and no purchase. */
  anonymous: string
  /** A token that is forged, expired or malformed. */
  badToken: string
  /** A token of another owner's user, or of the owner's other mode. */
  foreignToken: string
}

/** What an owner may call a user. */
export interface Names {
  email?: string
  id?: string
  externalId?: string
}

/** What a request is about. Whatever is left out does not exist. */
export interface Subject {
  paywallId: string
  /** The user whom an owner or a guest names. Users who call themselves are named by their tokens. */
  user?: Names
  /** Further fields of the body. */
  fields?: Record<string, unknown>
  priceId?: string
  purchaseId?: string
  checkoutId?: string
  refreshToken?: string
  /** A mailed code, with its address and challenge. */
  grant?: { email: string; code: string; challenge: string }
}

/** An operation of the API, as its callers see it. */
export interface Operation {
  /** The fields of the body, or the parameters of the query, that name the user. */
  names?: Names
  /** The other fields of the body. */
  body?: (subject: Subject) => Record<string, unknown>
  /** The parameters of the path besides the paywall's id. */
  parameters?: (subject: Subject) => Record<string, string>
  replies: Replies
  /** The status of a call whose subject exists, if it is not 200. */
  success?: number
  /** The replies that are others if `X-Paywall-Id` names another paywall. */
  ifOtherPaywallId?: Partial<Pick<Replies, 'nobody' | 'badKey' | 'ownerKey' | 'user'>>
  /** For an owner key that names a user whom the owner does not have. Absent if such a user is created, or none is named. */
  unknownUser?: string
  /** For an owner key that does so by several identifiers, if that is another reply. */
  mismatchedUser?: string
  /** For an owner key that names a user who is only on another paywall of the owner. */
  notMember?: string
  /** For a token whose user does not exist, if that is not what a bad token gets. */
  unknownTokenUser?: string
  /** Whether it is about all paywalls of the key's owner and mode. It names none, and is not served on a paywall's own domain. */
  allPaywalls?: true
  /** At the custom domain of another paywall, to any caller. */
  otherDomain: string
  /** Database calls of a call that is not refused. */
  statements: number
  /** Whether the error is repeated as `code`. */
  repeatsErrorAsCode?: true
  /** The `message` of a 503 if it is unknown whether the call took effect. Absent if the call may be repeated. */
  unknownOutcome?: string
  /** What the gateway counts its calls by. */
  countedBy: 'key' | 'token' | 'address' | 'signature'
}
