/** What each refusal means to the caller, by its name in the endpoints' tables of errors. */
export const MEANINGS: Record<string, string> = {
  active_purchase:
    'the user has an active subscription, or has bought this one-time price already, paid or with its payment on its way. Send `ignoreActivePurchase: true` to sell anyway',
  already_cancelled: 'the subscription is cancelled already, or has ended',
  anonymous:
    'the user of the token is anonymous. Only a user with an e-mail address, or with an id of the owner, may do this',
  bad_token:
    "the token is malformed, expired, not signed by us, or for another owner's paywalls or those of the other mode. If it is an owner key, `message` says so",
  database_unavailable:
    'our database cannot be reached, is too busy or did not answer. Repeat the same call after the time in `Retry-After`. If ' +
    'the first one was carried out and only its answer was lost, a repeat does no harm, unless more is said here',
  failed: 'a mistake on our side. Quote `X-Request-Id` when you ask for help',
  forged: 'the signature is missing, wrong or too old',
  in_progress:
    'an earlier call with this `Idempotency-Key` is still running. Repeat yours after the time in `Retry-After`',
  fixed_trial: "the processor's trials are those of its plans: `message` says what can be asked for",
  foreign_error_url:
    'with a Bearer token: `errorUrl` is of an origin that is neither in `settings.redirect_origins` nor the domain of the paywall ' +
    'nor that of a page in its settings. `message` says so',
  foreign_success_url: 'the same of `successUrl`',
  full_meta:
    'what owner keys have written into the `meta` of the user, or what its own calls have, would be larger than 64 KB',
  insufficient: 'the user has fewer tokens than that. None were taken',
  invalid_file:
    'a file is larger than 10 MB, is in another field than `files`, is not an image of an accepted type, or is of another ' +
    'type than it is sent as',
  invalid_form: 'the multipart form cannot be read',
  invalid_grant: 'the code or the refresh token is wrong, was used before, has expired, or was tried too often',
  invalid_json:
    'the body is not JSON in UTF-8, ends half-way, or has something that cannot be stored: a NUL character, half of a surrogate ' +
    'pair, or a number that is too large',
  invalid_key_format: 'the `Idempotency-Key` is not a UUID',
  invalid_query: 'the query has a NUL character',
  key_required: 'a live paywall requires an `Idempotency-Key`',
  key_reused: 'the `Idempotency-Key` was used before, for a different request. Choose a new one',
  malformed: 'the event is signed, but is not written as the processor writes events',
  method_not_allowed: 'the path does not have this method. `Allow` names those that it has',
  live_key: 'the API key is a live key, and the paywall is a test one. `message` says so',
  mismatched_identity: 'the e-mail address, the user id and your own id are not those of one user',
  missing_email: 'the processor sells to nobody without an e-mail address, and the user has none',
  missing_parameters: 'required fields are missing. If the error does not name exactly those, `message` does',
  missing_price: 'with a Bearer token: `priceId` is missing. `message` names all that is',
  missing_targets:
    '`successUrl` or `errorUrl` is missing, and the paywall has no page of its own in its place. `message` names those that are',
  no_address: '`customer_email` is missing or no e-mail address. A guest must give one',
  no_balance: 'the user has no balance on the paywall',
  no_credential: 'no credential was sent',
  no_portal: 'the processor of the paywall has no customer portal',
  no_subscription: 'the user has no active subscription',
  not_found: 'a part of the path is none of the words that may stand there',
  not_member: 'you have such a user, but it has never used this paywall',
  not_owner: "the API key is another owner's than the paywall's",
  other_external_id:
    'the user of this e-mail address has another external id. It never changes by itself: find out which of the two is right',
  over_guest_tickets:
    'guests in this network have opened as many tickets as they may in a day. They come back one by one, and users are not counted',
  over_image_budget:
    'guests sent as many images to the paywall, or those who have bought nothing from this network, as it takes in 24 hours. ' +
    'Without images the ticket is taken',
  over_quota: 'the user, or guests with this address, opened two tickets in the last 24 hours already',
  payload_too_large: 'the body is too large',
  paywall_id_mismatch: '`X-Paywall-Id` names another paywall than the call is about',
  processor_misconfigured:
    'the processor does not accept the credentials of the paywall, or they lack a permission: the owner has to correct them. Or we cannot open them',
  processor_rejected: 'the processor refused the request',
  processor_unavailable: 'the processor did not answer. Try again after the time in `Retry-After`',
  rate_limited: 'too many calls. Wait for the time in `Retry-After`',
  storage_unavailable:
    'our file storage cannot be reached, so no ticket was opened. Try again after the time in `Retry-After`',
  test_key: 'the API key is a test key, and the paywall is live. `message` says so',
  too_many_codes:
    'too many codes were mailed in the last hour: to the address by calls from your network, by such calls in all, or by the ' +
    'paywall. Codes that were mailed are as good as before, and an address that is known here is mailed one of 18 digits',
  too_many_files: 'a ticket takes at most five files',
  too_many_guesses:
    'too many wrong codes came from your network, for the address or on the paywall. This one was not looked at, and can be ' +
    'sent again after the time in `Retry-After`. The first try of a new code is always looked at',
  too_many_pages:
    'the user opened ten pages in ten minutes already, or too many were opened from its network or on the paywall. Wait for the ' +
    'time in `Retry-After`',
  too_many_users:
    'too many anonymous users were made from your network. Wait for the time in `Retry-After`, or sign in by a code',
  too_much: 'the balance would become 2^53 or more',
  unknown_checkout: 'there is no such checkout',
  unknown_identity: 'you have no such user, or the names sent are not those of one user',
  unknown_key: 'the API key is wrong or revoked',
  unknown_paywall: 'there is no such paywall, or it is not served on this domain',
  unknown_price: 'the paywall does not sell this price, or not any more. Read bootstrap again',
  unknown_processor: 'there is no such processor',
  unknown_subscription: 'the user has no such subscription on the paywall',
  unknown_type: 'the paywall has no such type of tokens, or the user has no balance of it',
  unknown_user:
    "the token is for another owner's paywalls or those of the other mode, or its user was merged into another one: as an anonymous user is who has signed " +
    'in as somebody else since',
}
